"""How the run is judged: queries, baselines, intervals and the gate."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self, final

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from reclife.config.gate import GateConfig
from reclife.config.problems import hint
from reclife.config.retrieval import (
    DecayedPopularityConfig,
    EaseConfig,
    ItemKnnConfig,
    PopularityConfig,
    RetrieverConfig,
)
from reclife.config.schema import Schema
from reclife.config.slices import ActivitySlice, ColumnSlice, NewItemsSlice, SliceConfig


@final
class ItemMeanConfig(Schema):
    """The item's smoothed mean label before the cut."""

    kind: Literal["item_mean"] = "item_mean"
    smoothing: NonNegativeFloat = Field(10.0, description="Events that the overall mean weighs.")


@final
class UserItemBiasConfig(Schema):
    """Overall mean, plus the item's deviation before the cut, plus the user's as of the event."""

    kind: Literal["user_item_bias"] = "user_item_bias"
    item_smoothing: NonNegativeFloat = Field(10.0, description="Events of deviation 0 per item.")
    user_smoothing: NonNegativeFloat = Field(5.0, description="Events of deviation 0 per user.")


@final
class LogisticBaselineConfig(Schema):
    """Logistic regression on the model's own features, the large vocabularies left out."""

    kind: Literal["logistic_regression"] = "logistic_regression"
    l2: tuple[PositiveFloat, ...] = Field(
        (1.0, 10.0, 100.0), min_length=1, description="Penalties tried; validation chooses."
    )
    max_vocabulary: PositiveInt = Field(
        50, description="Categories with more values than this are left out."
    )


LikeBaselineConfig = Annotated[
    ItemMeanConfig | UserItemBiasConfig | LogisticBaselineConfig, Field(discriminator="kind")
]


SeenPolicy = Literal["mask", "keep"]
"""Whether the items of the history may stand on a list."""


@final
class QueriesConfig(Schema):
    """At which moments lists are asked for, and what counts as right."""

    per: Literal["moment", "user"] = Field(
        "moment",
        description="`moment`: at a user's seconds with test events, after all that came before. "
        "`user`: once a test user, after everything outside the test part, as published splits "
        "are evaluated; unknown targets count as missed. Data without time is always per user.",
    )
    min_history: NonNegativeInt = Field(5, description="Earlier events that a query needs.")
    max_per_user: PositiveInt = Field(50, description="Moments a user, chosen by hash.")
    targets: PositiveInt | Literal["all"] = Field(
        10, description="The next items that count as right: so many, or all of the test part."
    )
    gain: str | None = Field(
        None,
        description="Column of the interactions with a target's grade, for `graded_ndcg`.",
    )


@final
class SampledConfig(Schema):
    """List metrics on drawn items beside those on all: not comparable with full ranking.

    They can order two models otherwise than the full ranking does (Krichene & Rendle 2020).
    """

    negatives: PositiveInt = Field(100, description="Items drawn for each query, kept as a table.")
    seed: NonNegativeInt = 0


@final
class CoOccurrenceDiversity(Schema):
    """Two items are as far apart as their users are: 1 less the cosine."""

    kind: Literal["co_occurrence"] = "co_occurrence"


@final
class CategoryDiversity(Schema):
    """Two items are as far apart as their categories are: 1 less the Jaccard index."""

    kind: Literal["category"] = "category"
    column: str = Field(description="Column of the items.")
    separator: str | None = Field(None, description="Between the categories of one item.")


DiversityConfig = Annotated[CoOccurrenceDiversity | CategoryDiversity, Field(discriminator="kind")]


@final
class RerankConfig(Schema):
    """The model on top of the candidate source."""

    candidates: PositiveInt = Field(200, description="Candidates a query.")
    weight: float = Field(
        1.0, ge=0, le=1, description="The model's part in the order; 1 ranks by the model alone."
    )


@final
class BootstrapConfig(Schema):
    """95 % intervals by resampling users."""

    resamples: int = Field(500, ge=1, le=10_000)
    seed: NonNegativeInt = 17


def names_of(baselines: Sequence[LikeBaselineConfig | RetrieverConfig]) -> list[str]:
    """Return what the report calls each baseline: its kind, the second of a kind `<kind>#2`."""
    names: list[str] = []
    for one in baselines:
        number = 1 + sum(name.partition("#")[0] == one.kind for name in names)
        names.append(one.kind if number == 1 else f"{one.kind}#{number}")
    return names


@final
class EvaluationConfig(Schema):
    """Declaration of the evaluation stage."""

    k: tuple[Annotated[int, Field(strict=True, ge=1, le=1000)], ...] = Field(
        (10,), min_length=1, description="Cut-offs of the lists."
    )
    queries: QueriesConfig = QueriesConfig()
    seen: SeenPolicy = Field(
        "mask", description="Whether seen items may be listed; the same as in scoring."
    )
    sampled: SampledConfig | None = Field(
        None, description="List metrics on drawn items as well; null: full ranking alone."
    )
    diversity: DiversityConfig = CoOccurrenceDiversity()
    slices: tuple[SliceConfig, ...] = Field(
        (NewItemsSlice(), ActivitySlice()), description="Parts that are also measured apart."
    )
    like_baselines: tuple[LikeBaselineConfig, ...] = (
        ItemMeanConfig(),
        UserItemBiasConfig(),
        LogisticBaselineConfig(),
    )
    list_baselines: tuple[RetrieverConfig, ...] = (
        PopularityConfig(),
        DecayedPopularityConfig(),
        ItemKnnConfig(),
        EaseConfig(),
    )
    rerank: RerankConfig = RerankConfig()
    calibration: Literal["platt", "isotonic"] | None = Field(
        None,
        description="Map that makes the model's chances come true, fitted on the validation part "
        "and shipped with the bundle; null: none. Not with training.refit.",
    )
    calibration_bins: int = Field(
        10,
        ge=1,
        le=1000,
        description="Bins of equal width of the reliability plot and the calibration error.",
    )
    bootstrap: BootstrapConfig = BootstrapConfig()
    gate: GateConfig = GateConfig()

    def trained_name(self, kind: str) -> str:
        """Return what the report calls the trained model: its kind, told from a baseline's."""
        return f"trained {kind}" if kind in names_of(self.like_baselines) else kind

    @model_validator(mode="after")
    def _unmistakable(self) -> Self:
        if problems := [*self._repeated(), *self._never_measured()]:
            raise ValueError("; ".join(problems))
        return self

    def _repeated(self) -> Iterator[str]:
        for k in sorted({k for k in self.k if self.k.count(k) > 1}):
            yield f"k: {k} is declared twice"
        whats = [
            f"the {one.source} column {one.column!r}" if isinstance(one, ColumnSlice) else one.kind
            for one in self.slices
        ]
        for what in dict.fromkeys(what for what in whats if whats.count(what) > 1):
            yield f"slices: {what} is declared twice"

    def _never_measured(self) -> Iterator[str]:
        """Yield what the gate asks for and nothing measures."""
        for floor in self.gate.floors:
            where = f"gate.floors: {floor.metric}"
            if floor.of_lists and floor.k not in self.k:
                asked = "needs k" if floor.k is None else f"at k {floor.k} is not measured"
                yield f"{where} {asked}; evaluation.k is {', '.join(map(str, self.k))}"
            if not floor.of_lists and floor.k is not None:
                yield f"{where} is of events and has no k"
            if floor.metric == "graded_ndcg" and self.queries.gain is None:
                yield f"{where} needs queries.gain"
        names = names_of(self.like_baselines)
        for rule in self.gate.must_beat:
            for name in rule.baselines:
                if name not in names:
                    yield f"gate.must_beat: {name!r} is not among like_baselines{hint(name, names)}"
