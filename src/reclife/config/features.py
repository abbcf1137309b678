"""What `features` computes: the split, the negatives and the list of features."""

from typing import Annotated, Literal, Self, final

from pydantic import Field, model_validator

from reclife.config.schema import Schema

Source = Literal["item", "user", "interaction"]
Side = Literal["item", "user"]


@final
class GlobalTimeSplit(Schema):
    """The newest events of all users are the test part, the newest before them validation."""

    kind: Literal["global_time"]
    test: float = Field(0.2, gt=0, lt=1, description="Share of all events.")
    validation: float = Field(0.1, gt=0, lt=1, description="Share of the events before test.")


@final
class HashSplit(Schema):
    """Events drawn by a hash of their ids; training sees the future, so it is marked leaking."""

    kind: Literal["hash"]
    test: float = Field(0.2, gt=0, lt=1, description="Share of all events.")
    validation: float = Field(0.1, gt=0, lt=1, description="Share of the events not in test.")
    seed: int = 0


@final
class PredefinedSplit(Schema):
    """A column of the interactions says `train`, `validation` or `test`."""

    kind: Literal["predefined"]
    column: str = "split"
    validation: float = Field(
        0.1, gt=0, lt=1, description="Share of train drawn by hash when no row says `validation`."
    )
    seed: int = 0


Split = Annotated[GlobalTimeSplit | HashSplit | PredefinedSplit, Field(discriminator="kind")]


@final
class NoNegatives(Schema):
    """The data holds its own negative labels."""

    kind: Literal["none"]


@final
class UniformNegatives(Schema):
    """Per positive event, items of the training part that the user has not met, with label 0.

    They are requests only, never events: no history or statistic sees them.
    """

    kind: Literal["uniform"]
    per_positive: int = Field(4, ge=1, le=100)
    seed: int = 0


Negatives = Annotated[NoNegatives | UniformNegatives, Field(discriminator="kind")]


class NamedFeature(Schema):
    """Abstract: a feature has a name, the column it is written to."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")


@final
class CategoryFeature(NamedFeature):
    """The id of a value in a vocabulary: 1 unknown, from 2 by falling count, ties by value."""

    kind: Literal["category"]
    source: Source
    column: str
    table: str | None = Field(None, description="Embedding table; the feature's name by default.")
    min_count: int = Field(1, ge=1, description="Training events a value needs.")
    max_size: int | None = Field(None, ge=1, description="Most values kept.")


@final
class MultiCategoryFeature(NamedFeature):
    """The ids of a text's parts, at most `max_length`, padded with 0 behind."""

    kind: Literal["multi_category"]
    source: Literal["item", "user"]
    column: str
    separator: str = Field("|", min_length=1)
    max_length: int = Field(ge=1)
    table: str | None = Field(None, description="Embedding table; the feature's name by default.")
    min_count: int = Field(1, ge=1, description="Training events a value needs.")
    max_size: int | None = Field(None, ge=1, description="Most values kept.")


@final
class NumericFeature(NamedFeature):
    """A number; `log1p` first, then `standardize` with the mean and deviation of training rows."""

    kind: Literal["numeric"]
    source: Source
    column: str
    missing: float = Field(description="Value used for a missing one, before any transformation.")
    log1p: bool = False
    standardize: bool = False


@final
class MeanFeature(NamedFeature):
    """Smoothed mean of a value over the strictly earlier events: (sum + k prior) / (n + k)."""

    kind: Literal["mean"]
    by: Side
    value: str = Field("label", description="`label` or a numeric column of the interactions.")
    strength: float = Field(10.0, gt=0, description="k: events that the prior weighs.")


@final
class CountFeature(NamedFeature):
    """log(1 + n) over the strictly earlier events."""

    kind: Literal["count"]
    by: Side


@final
class RecentMeanFeature(NamedFeature):
    """Smoothed mean of the newest strictly earlier events, an event's weight halving by rank.

    The newest event weighs 1, the one `half_life` events older 1/2. Ranks, not ages, so that the
    weights of a log of many years neither overflow nor vanish.
    """

    kind: Literal["recent_mean"]
    by: Side
    value: str = Field("label", description="`label` or a numeric column of the interactions.")
    half_life: float = Field(10.0, gt=0, description="In events.")
    newest: int = Field(50, ge=1, le=1000, description="Events looked at.")
    strength: float = Field(2.0, gt=0, description="Weight of the prior, in newest events.")


@final
class AffinityFeature(NamedFeature):
    """The user's mean in the item's categories: two columns, `<name>_mean` and `<name>_max`.

    Per category the smoothed mean of the user's strictly earlier events there, its prior the user's
    own smoothed mean; then the mean and the largest over the categories of the item.
    """

    kind: Literal["affinity"]
    of: str = Field(description="Name of a multi_category feature of the items.")
    value: str = Field("label", description="`label` or a numeric column of the interactions.")
    strength: float = Field(5.0, gt=0, description="Events that a prior weighs.")


@final
class UnknownFeature(NamedFeature):
    """1 where the item (or user) has no strictly earlier event, else 0.

    As of the event, not of the vocabulary: every training item is in the vocabulary, so a model
    could not learn what a flag of the vocabulary means.
    """

    kind: Literal["unknown"]
    by: Side


@final
class SequenceFeature(NamedFeature):
    """The user's newest strictly earlier items, oldest first, padded with 0 in front."""

    kind: Literal["sequence"]
    of: str = Field("item", description="Name of the category feature of the item id.")
    length: int = Field(50, ge=1)


FeatureDeclaration = Annotated[
    CategoryFeature
    | MultiCategoryFeature
    | NumericFeature
    | MeanFeature
    | CountFeature
    | RecentMeanFeature
    | AffinityFeature
    | UnknownFeature
    | SequenceFeature,
    Field(discriminator="kind"),
]
AS_OF_KINDS = ("mean", "count", "recent_mean", "affinity", "unknown", "sequence")
"""Kinds that look at earlier events and therefore need event times."""


@final
class FeaturesConfig(Schema):
    """`conf/<env>/parameters/features.yml`."""

    split: Split
    negatives: Negatives = NoNegatives(kind="none")
    features: tuple[FeatureDeclaration, ...] = Field(min_length=1)

    def declaration(self, name: str) -> FeatureDeclaration:
        """Return the feature called `name`; raise `KeyError` when there is none."""
        for feature in self.features:
            if feature.name == name:
                return feature
        raise KeyError(name)

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        outputs = [
            name
            for f in self.features
            for name in ((f"{f.name}_mean", f"{f.name}_max") if f.kind == "affinity" else (f.name,))
        ]
        twice = sorted({name for name in outputs if outputs.count(name) > 1})
        reserved = sorted({"user_id", "item_id", "timestamp", "label"} & set(outputs))
        if twice or reserved:
            raise ValueError(f"feature names must be unique and not reserved: {twice + reserved}")
        return self

    @model_validator(mode="after")
    def _references_resolve(self) -> Self:
        kinds = {f.name: f for f in self.features}
        problems = []
        for f in self.features:
            if f.kind not in ("affinity", "sequence"):
                continue
            target = kinds.get(f.of)
            fits = (
                target is not None
                and {
                    "affinity": target.kind == "multi_category" and target.source == "item",
                    "sequence": target.kind == "category" and target.column == "item_id",
                }[f.kind]
            )
            if not fits:
                problems.append(f"{f.name}: `of: {f.of}` names no feature that a {f.kind} can use")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @model_validator(mode="after")
    def _shared_tables_agree(self) -> Self:
        owners: dict[str, tuple[object, ...]] = {}
        for f in self.features:
            if f.kind in ("category", "multi_category"):
                rule = (f.source, f.column, f.min_count, f.max_size)
                if owners.setdefault(f.table or f.name, rule) != rule:
                    raise ValueError(f"table {f.table or f.name} is declared in two ways")
        return self
