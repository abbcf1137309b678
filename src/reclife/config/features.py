"""What `features` computes: the split, the negatives, the list of features and their limits."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Self, final

from pydantic import (
    Field,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from reclife.config.feature_list import FeatureDeclaration, list_problems
from reclife.config.negatives import DownSampling, Negatives, NoNegatives
from reclife.config.problems import joined
from reclife.config.schema import Schema
from reclife.config.splits import Split
from reclife.config.windows import Past

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

    @model_validator(mode="wrap")
    @classmethod
    def _list_holds(cls, declared: Any, check: ModelWrapValidatorHandler[Self]) -> Self:
        """Check the list of features whatever else is wrong, so that all is told at once."""
        try:
            config = check(declared)
        except ValidationError as error:
            raise joined("features", list_problems(*readable(declared)), error) from None
        if problems := list_problems(config.features):
            raise joined("features", problems)
        return config


@cache
def _reader() -> TypeAdapter[FeatureDeclaration]:
    return TypeAdapter(FeatureDeclaration)


def readable(declared: Any) -> tuple[list[FeatureDeclaration], list[str]]:
    """Return the features of a declaration that hold in themselves, and the names of others."""
    listed = declared.get("features") if isinstance(declared, Mapping) else None
    features: list[FeatureDeclaration] = []
    unread: list[str] = []
    for one in listed if isinstance(listed, list | tuple) else ():
        try:
            features.append(_reader().validate_python(one))
        except ValidationError:
            unread += [str(one["name"])] if isinstance(one, Mapping) and "name" in one else []
    return features, unread
