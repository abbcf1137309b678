"""How the run is judged: queries, baselines, intervals and the gate."""

from typing import Annotated, Literal, final

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from reclife.config.retrieval import (
    DecayedPopularityConfig,
    EaseConfig,
    ItemKnnConfig,
    PopularityConfig,
    RetrieverConfig,
)
from reclife.config.schema import Schema


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


@final
class QueriesConfig(Schema):
    """At which moments lists are asked for, and what counts as right."""

    min_history: NonNegativeInt = Field(5, description="Earlier events that a query needs.")
    max_per_user: PositiveInt = Field(50, description="Moments a user, chosen by hash.")
    targets: PositiveInt = Field(10, description="The next unseen events that count as right.")


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

    resamples: PositiveInt = 500
    seed: NonNegativeInt = 17


GateMetric = Literal["auc", "gauc", "ndcg", "recall", "hit_rate", "mrr", "coverage"]
"""Metrics of which more is better."""


@final
class FloorConfig(Schema):
    """A figure that must be reached."""

    metric: GateMetric
    at_least: float
    k: PositiveInt | None = Field(None, description="Cut-off of a list metric.")
    model: str | None = Field(None, description="As the report names it; null: the trained one.")


@final
class MustBeatConfig(Schema):
    """Baselines that the trained model must exceed."""

    metric: Literal["auc", "gauc"]
    baselines: tuple[str, ...] = Field(min_length=1)


@final
class GateConfig(Schema):
    """What fails the run."""

    floors: tuple[FloorConfig, ...] = ()
    must_beat: tuple[MustBeatConfig, ...] = ()


@final
class EvaluationConfig(Schema):
    """Declaration of the evaluation stage."""

    k: tuple[PositiveInt, ...] = Field((10,), min_length=1, description="Cut-offs of the lists.")
    queries: QueriesConfig = QueriesConfig()
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
    calibration_bins: PositiveInt = 10
    bootstrap: BootstrapConfig = BootstrapConfig()
    gate: GateConfig = GateConfig()
