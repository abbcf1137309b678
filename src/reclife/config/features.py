"""What `features` computes: the split, the negatives and the list of features."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self, final

from pydantic import Field, model_validator

from reclife.config.as_of import (
    AffinityFeature,
    CountFeature,
    MeanFeature,
    RecentMeanFeature,
    UnknownFeature,
)
from reclife.config.attributes import CategoryFeature, MultiCategoryFeature, NumericFeature
from reclife.config.encodings import (
    BucketizeFeature,
    CrossFeature,
    DatePartFeature,
    HashedCategoryFeature,
    TextNgramsFeature,
    VectorFeature,
)
from reclife.config.schema import Schema
from reclife.config.sequences import (
    CategorySequenceFeature,
    DwellSequenceFeature,
    GapSequenceFeature,
    SequenceFeature,
)
from reclife.config.splits import Split
from reclife.config.windows import LagFeature, Past, RecencyFeature, WindowFeature


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
LISTED_KINDS = ("sequence", "category_sequence", "gap_sequence", "dwell_sequence")
"""Kinds with one value for each of the user's newest events."""
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


FeatureDeclaration = Annotated[
    CategoryFeature
    | MultiCategoryFeature
    | HashedCategoryFeature
    | NumericFeature
    | BucketizeFeature
    | CrossFeature
    | DatePartFeature
    | VectorFeature
    | TextNgramsFeature
    | MeanFeature
    | CountFeature
    | RecentMeanFeature
    | AffinityFeature
    | UnknownFeature
    | WindowFeature
    | RecencyFeature
    | LagFeature
    | SequenceFeature
    | CategorySequenceFeature
    | GapSequenceFeature
    | DwellSequenceFeature,
    Field(discriminator="kind"),
]
AS_OF_KINDS = (
    "mean",
    "count",
    "recent_mean",
    "affinity",
    "unknown",
    "window",
    "recency",
    "lag",
    *LISTED_KINDS,
)
"""Kinds that look at earlier events and therefore need event times."""
OWN_TABLE_KINDS = ("bucketize", "cross", "date_part", "text_ngrams")
"""Kinds whose embedding table is theirs alone."""
CROSSABLE_KINDS = ("category", "hashed_category", "bucketize", "date_part")
"""Kinds with one id a row."""


@final
class FeaturesConfig(Schema):
    """`conf/<env>/parameters/features.yml`."""

    split: Split
    negatives: Negatives = NoNegatives(kind="none")
    past: Past = Past()
    features: tuple[FeatureDeclaration, ...] = Field(min_length=1)

    def buckets(self, table: str) -> int:
        """Return how many ids of an embedding table are buckets of hashes."""
        for f in self.features:
            if f.kind in ("category", "multi_category", "category_sequence") and table == (
                f.table or f.name
            ):
                return f.oov_buckets
            if f.kind == "hashed_category" and table == (f.table or f.name):
                return f.buckets
            if f.kind in ("cross", "text_ngrams") and table == f.name:
                return f.buckets
        return 0

    def declaration(self, name: str) -> FeatureDeclaration:
        """Return the feature called `name`; raise `KeyError` when there is none."""
        for feature in self.features:
            if feature.name == name:
                return feature
        raise KeyError(name)

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        outputs = [name for feature in self.features for name in feature.outputs]
        twice = sorted({name for name in outputs if outputs.count(name) > 1})
        reserved = sorted({"user_id", "item_id", "timestamp", "label"} & set(outputs))
        if twice or reserved:
            raise ValueError(f"feature names must be unique and not reserved: {twice + reserved}")
        return self

    @model_validator(mode="after")
    def _references_resolve(self) -> Self:
        kinds = {f.name: f for f in self.features}
        problems: list[str] = []
        for f in self.features:
            if f.kind == "cross":
                problems += _not_crossable(f, kinds)
            if f.kind not in ("affinity", "sequence"):
                continue
                if f.kind == "multi_category":
                    rule = (*rule, f.separator, f.mark)
            target = kinds.get(f.of)
            fits = (
                target is not None
                and {
                    "affinity": target.kind in ("category", "multi_category")
                    and target.source == "item"
                    and target.column != "item_id",
                    "sequence": target.kind in ("category", "hashed_category")
                    and target.column == "item_id",
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
            table = f.name
            rule: tuple[object, ...] = (f.name,)
            if f.kind in ("category", "multi_category", "category_sequence"):
                table = f.table or f.name
                rule = (f.source, f.column, f.min_count, f.max_size, f.oov_buckets)
            elif f.kind == "hashed_category":
                table = f.table or f.name
                rule = ("hashed", f.buckets)
            elif f.kind not in OWN_TABLE_KINDS:
                continue
            if owners.setdefault(table, rule) != rule:
                raise ValueError(f"table {table} is declared in two ways")
        return self


def _not_crossable(
    cross: CrossFeature, declared: Mapping[str, FeatureDeclaration]
) -> Iterator[str]:
    """Yield what is wrong with the members of a cross."""
    if len(set(cross.of)) < len(cross.of):
        yield f"{cross.name}: `of` names a feature twice"
    for name in cross.of:
        if name not in declared or declared[name].kind not in CROSSABLE_KINDS:
            yield (
                f"{cross.name}: `of: {name}` names no feature that a cross can use "
                f"({', '.join(CROSSABLE_KINDS)})"
            )
