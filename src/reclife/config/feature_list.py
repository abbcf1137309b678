"""The features that may be declared, and what must hold between those of one list."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated

from pydantic import Field

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
from reclife.config.problems import nearest
from reclife.config.sequences import (
    CategorySequenceFeature,
    DwellSequenceFeature,
    GapSequenceFeature,
    SequenceFeature,
)
from reclife.config.windows import LagFeature, RecencyFeature, WindowFeature

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
ENCODABLE_KINDS = (*CROSSABLE_KINDS, "cross")
"""Kinds with one id a row, crosses of others among them."""
RESERVED = frozenset(
    {"user_id", "item_id", "timestamp", "label", "weight", "split", "sampling_probability"}
)
"""Columns of the examples that are no features."""


def list_problems(
    features: Collection[FeatureDeclaration], unread: Collection[str] = ()
) -> list[str]:
    """Return what cannot hold between `features`.

    Args:
        features: The declarations.
        unread: Names of further declarations that are wrong in themselves.
    """
    return [
        *_names(features, unread),
        *_references(features, unread),
        *_circles(features),
        *_tables(features),
    ]


def _names(features: Iterable[FeatureDeclaration], unread: Collection[str]) -> Iterator[str]:
    outputs = [name for feature in features for name in feature.outputs] + list(unread)
    for name in sorted({name for name in outputs if outputs.count(name) > 1}):
        yield f"{name}: feature names must be unique, but {outputs.count(name)} features write it"
    for name in sorted(RESERVED & set(outputs)):
        yield f"{name}: the name is reserved for a column that is no feature"


def _by_name(features: Iterable[FeatureDeclaration]) -> dict[str, FeatureDeclaration]:
    """Return the features by their names, the first of two that are called alike."""
    return {feature.name: feature for feature in reversed(list(features))}


def _of(feature: FeatureDeclaration) -> tuple[str, ...]:
    """Return the names of the features that a feature is made of."""
    if feature.kind == "cross":
        return feature.of
    if feature.kind in ("affinity", "sequence", "target_encoding"):
        return (feature.of,)
    return ()


def _references(features: Iterable[FeatureDeclaration], unread: Collection[str]) -> Iterator[str]:
    """Yield each name after `of` that the kind of feature cannot use."""
    declared = _by_name(features)
    circular = {name for circle in _circles_in(declared) for name in circle}
    for feature in declared.values():
        if len(set(_of(feature))) < len(_of(feature)):
            yield f"{feature.name}: `of` names a feature twice"
        for name in _of(feature):
            if name in unread or {name, feature.name} <= circular:
                continue
            if name not in declared or not _fits(feature, declared[name]):
                fitting = sorted(n for n, target in declared.items() if _fits(feature, target))
                near = nearest(name, fitting)
                yield (
                    f"{feature.name}: `of: {name}` names no feature that a {feature.kind} can use "
                    f"({', '.join(fitting) or 'none is declared'}){near}"
                )


def _fits(feature: FeatureDeclaration, target: FeatureDeclaration) -> bool:
    """Return whether a feature can be made of `target`."""
    if feature.kind == "cross":
        return target.kind in CROSSABLE_KINDS
    if feature.kind == "target_encoding":
        return target.kind in ENCODABLE_KINDS
    if feature.kind == "sequence":
        return target.kind in ("category", "hashed_category") and target.column == "item_id"
    return (
        target.kind in ("category", "multi_category")
        and target.source == "item"
        and target.column != "item_id"
    )


def _circles(features: Iterable[FeatureDeclaration]) -> Iterator[str]:
    for circle in _circles_in(_by_name(features)):
        yield f"{circle[0]}: features are made of one another in a circle: {' -> '.join(circle)}"


def _circles_in(declared: Mapping[str, FeatureDeclaration]) -> Iterator[tuple[str, ...]]:
    """Yield each circle once, from its first name in alphabetical order back to it."""

    def walk(path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for name in _of(declared[path[-1]]) if path[-1] in declared else ():
            if name == path[0]:
                yield (*path, name)
            elif name not in path and name > path[0]:
                yield from walk((*path, name))

    for name in sorted(declared):
        yield from walk((name,))


def _tables(features: Iterable[FeatureDeclaration]) -> Iterator[str]:
    """Yield the embedding tables that several features declare, each in another way."""
    owners: dict[str, tuple[object, ...]] = {}
    twice: set[str] = set()
    for f in features:
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
            twice.add(table)
    for table in sorted(twice):
        yield f"table {table} is declared in two ways"
