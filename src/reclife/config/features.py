"""What `features` computes: the split, the negatives, the list of features and their limits."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Self, final

from pydantic import Field, model_validator

from reclife.config.as_of import (
    AffinityFeature,
    CountFeature,
    MeanFeature,
    RecentMeanFeature,
    TargetEncodingFeature,
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
from reclife.config.negatives import DownSampling, Negatives, NoNegatives
from reclife.config.schema import Schema
from reclife.config.sequences import (
    CategorySequenceFeature,
    DwellSequenceFeature,
    GapSequenceFeature,
    SequenceFeature,
)
from reclife.config.splits import Split
from reclife.config.windows import LagFeature, Past, RecencyFeature, WindowFeature

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
    | TargetEncodingFeature
    | WindowFeature
    | RecencyFeature
    | LagFeature
    | SequenceFeature
    | CategorySequenceFeature
    | GapSequenceFeature
    | DwellSequenceFeature,
    Field(discriminator="kind"),
]
LISTED_KINDS = ("sequence", "category_sequence", "gap_sequence", "dwell_sequence")
"""Kinds with one value for each of the user's newest events."""
AS_OF_KINDS = (
    "mean",
    "count",
    "recent_mean",
    "affinity",
    "unknown",
    "target_encoding",
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
RESERVED = frozenset({"user_id", "item_id", "timestamp", "label", "sampling_probability"})
"""Columns of the examples that are no features."""

Share = Annotated[float, Field(ge=0, le=1)]


@final
class OutOfVocabulary(Schema):
    """The largest share of unknown ids that each part of the examples may hold."""

    max_rates: Mapping[str, Share] = Field({}, description="By feature.")
    default: Share | None = Field(None, description="For every other feature; null: no limit.")


@final
class FeaturesConfig(Schema):
    """`conf/<env>/parameters/features.yml`."""

    split: Split
    negatives: Negatives = NoNegatives(kind="none")
    down_sampling: DownSampling | None = None
    out_of_vocabulary: OutOfVocabulary = OutOfVocabulary()
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
        reserved = sorted(RESERVED & set(outputs))
        if twice or reserved:
            raise ValueError(f"feature names must be unique and not reserved: {twice + reserved}")
        return self

    @model_validator(mode="after")
    def _negatives_are_thinned_once(self) -> Self:
        if self.down_sampling and self.negatives.kind != "none":
            raise ValueError(
                "down_sampling is for the negatives of the data; of drawn ones, "
                "`negatives.per_positive` says how many"
            )
        return self

    @model_validator(mode="after")
    def _limits_are_of_features(self) -> Self:
        outputs = {name for feature in self.features for name in feature.outputs}
        if strange := sorted(self.out_of_vocabulary.max_rates.keys() - outputs):
            raise ValueError(f"out_of_vocabulary: no feature is called {', '.join(strange)}")
        return self

    @model_validator(mode="after")
    def _references_resolve(self) -> Self:
        kinds = {f.name: f for f in self.features}
        problems: list[str] = []
        for f in self.features:
            if f.kind == "cross":
                problems += _not_crossable(f, kinds)
            if f.kind == "target_encoding" and (
                f.of not in kinds or kinds[f.of].kind not in (*CROSSABLE_KINDS, "cross")
            ):
                problems.append(f"{f.name}: `of: {f.of}` names no feature that has one id a row")
            if f.kind not in ("affinity", "sequence"):
                continue
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
                if f.kind == "multi_category":
                    rule = (*rule, f.separator, f.mark)
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
