"""Holds what features, split and negatives do with columns against the types of these."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from reclife.config.columns import Scalar
from reclife.config.feature_list import FeatureDeclaration
from reclife.config.features import FeaturesConfig
from reclife.config.ingest import IngestConfig, InteractionsSource, ItemsSource, UsersSource
from reclife.config.windows import Past, Where

NUMBERS = frozenset({"int64", "float64"})
KEYS = frozenset({"int64", "string"})
_VALUES: Mapping[Scalar, type | tuple[type, ...]] = {
    "int64": int,
    "float64": (int, float),
    "string": str,
}


class Need(NamedTuple):
    """A column that is read, and the types that it may have."""

    who: str
    source: str
    column: str
    types: Collection[str]


def type_problems(
    features: Collection[FeatureDeclaration], past: Past, ingest: IngestConfig
) -> Iterator[str]:
    """Yield each column that features cannot read because of its type."""
    known = _types(ingest)
    needs = [need for feature in features for need in _needs(feature)]
    if past.available_from:
        needs.append(Need("past.available_from", "interaction", past.available_from, {"int64"}))
    yield from _misfits(needs, known)
    for feature in features:
        where: Where | None = getattr(feature, "where", None)
        if where is None:
            continue
        yield from _strange_values(feature.name, where, known["interaction"])
        if where.column == "event" and ingest.interactions.event:
            names = tuple(map(str, where.equals))
            unknown = ingest.interactions.event.unknown(names)
            yield from (f"{feature.name}: where: {problem}" for problem in unknown)


def row_type_problems(config: FeaturesConfig, ingest: IngestConfig) -> Iterator[str]:
    """Yield each column that split and negatives cannot read because of its type."""
    needs = []
    if config.split.kind == "leave_last_out":
        needs.append(Need("split.by", "interaction", config.split.by, NUMBERS))
    if config.split.kind == "predefined":
        needs.append(Need("split.column", "interaction", config.split.column, {"string"}))
    if config.negatives.kind == "same_category":
        needs.append(Need("negatives.column", "item", config.negatives.column, KEYS))
    yield from _misfits(needs, _types(ingest))
    if config.negatives.kind == "from_impressions" and ingest.interactions.event:
        unknown = ingest.interactions.event.unknown((config.negatives.event,))
        yield from (f"negatives.event: {problem}" for problem in unknown)


def _types(ingest: IngestConfig) -> dict[str, dict[str, str]]:
    """Return source -> column -> type of the canonical tables."""
    events = ingest.interactions
    written: dict[str, str] = {"timestamp": "int64", "event": "string", "weight": "float64"}
    written |= dict.fromkeys(events.label_columns.values(), "float64")
    written |= {name: column.type for name, column in events.columns.items()}
    return {
        "interaction": {name: written[name] for name in events.canonical},
        "item": _described("item_id", ingest.items, events),
        "user": _described("user_id", ingest.users, events),
    }


def _described(
    identity: str, table: ItemsSource | UsersSource | None, events: InteractionsSource
) -> dict[str, str]:
    if table is None:
        return {identity: events.columns[identity].type}
    return {name: column.type for name, column in table.columns.items()}


def _needs(feature: FeatureDeclaration) -> Iterator[Need]:
    match feature.kind:
        case "category" | "hashed_category" | "category_sequence" | "text_ngrams":
            yield Need(feature.name, feature.source, feature.column, KEYS)
        case "numeric" | "bucketize":
            yield Need(feature.name, feature.source, feature.column, NUMBERS)
        case "vector":
            lists = {"string", "float64_list", "int64_list"}
            yield Need(feature.name, feature.source, feature.column, lists)
        case "multi_category":
            lists = {"string", "string_list", "int64_list"}
            yield Need(feature.name, feature.source, feature.column, lists)
            if feature.weights and feature.weights.kind == "column":
                numbers = {"string", "float64_list", "int64_list"}
                yield Need(feature.name, feature.source, feature.weights.column, numbers)
        case "mean" | "recent_mean" | "affinity" | "target_encoding" | "lag" | "window":
            if feature.value is not None:
                yield Need(feature.name, "interaction", feature.value, NUMBERS)
        case _:
            return


def _misfits(needs: Collection[Need], known: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yield the needs that a column of this name does not meet; absent ones are told elsewhere."""
    for need in needs:
        found = known[need.source].get(need.column)
        if found is not None and found not in need.types:
            yield (
                f"{need.who}: column {need.column!r} of the {need.source}s is {found}, which it "
                f"cannot read; it reads {', '.join(sorted(need.types))}"
            )


def _strange_values(name: str, where: Where, known: Mapping[str, str]) -> Iterator[str]:
    found = known.get(where.column)
    if found is None:
        return
    if found not in _VALUES:
        yield f"{name}: where: column {where.column!r} is {found}, no single value"
        return
    fitting = next(kind for one, kind in _VALUES.items() if one == found)
    strange = [value for value in where.equals if not isinstance(value, fitting)]
    if strange:
        told = ", ".join(map(repr, strange))
        yield f"{name}: where: column {where.column!r} is {found}, which {told} is not"
