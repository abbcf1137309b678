"""Holds what `features` declares against the columns that there are."""

from collections.abc import Collection, Iterable, Iterator

from reclife.config.feature_list import AS_OF_KINDS, FeatureDeclaration
from reclife.config.features import FeaturesConfig
from reclife.config.problems import nearest
from reclife.config.windows import Past

TIME, EVENT, SAMPLING_PROBABILITY = "timestamp", "event", "sampling_probability"
"""Canonical columns that are asked for by name."""


def column_problems(
    features: Collection[FeatureDeclaration],
    past: Past,
    interactions: Collection[str],
    items: Collection[str],
    users: Collection[str],
) -> list[str]:
    """Return what the features need and canonical tables with these columns lack."""
    columns = {"interaction": interactions, "item": items, "user": users}
    wanted = [(f.name, source, name) for f in features for source, name in f.reads]
    wanted += [("past", "interaction", name) for name in past.columns]
    return [
        *(_without_time(features) if TIME not in interactions else ()),
        *(
            f"{who}: {name!r} is not a column of the {source}s ({', '.join(columns[source])})"
            f"{nearest(name, columns[source])}"
            for who, source, name in wanted
            if name not in columns[source]
        ),
        *(
            f"{feature.name}: {name!r} is a column of the interactions already; rename the feature"
            for feature in features
            for name in feature.outputs
            if name in interactions
        ),
    ]


def _without_time(features: Iterable[FeatureDeclaration]) -> Iterator[str]:
    """Yield what cannot be done without event times."""
    for feature in features:
        if feature.kind in AS_OF_KINDS:
            yield (
                f"{feature.name}: kind {feature.kind} looks at earlier events, but the data has no "
                "time"
            )
        if feature.kind == "date_part":
            yield f"{feature.name}: kind date_part reads the time, but the data has none"


def row_problems(
    config: FeaturesConfig, interactions: Collection[str], items: Collection[str]
) -> Iterator[str]:
    """Yield what split and negatives need and canonical tables with these columns lack."""
    tables = {"interactions": interactions, "items": items}
    for where, table, name in _row_columns(config):
        if name not in tables[table]:
            listed = ", ".join(tables[table])
            near = nearest(name, tables[table])
            yield f"{where} {name!r} is not a column of the {table} ({listed}){near}"
    if config.negatives.kind != "none" and SAMPLING_PROBABILITY in interactions:
        yield f"{SAMPLING_PROBABILITY} is a column of the interactions already; rename it in ingest"
    more = [name for name in interactions if name.startswith("label_")]
    if config.down_sampling and more:
        yield (
            f"down_sampling: the correction of its rate holds for one task, and {', '.join(more)} "
            "is another; leave it out"
        )
    if TIME in interactions:
        return
    if config.split.kind == "global_time":
        yield "split: global_time needs event times; use kind hash or predefined"
    if config.split.kind == "leave_last_out" and config.split.by == TIME:
        yield "split: leave_last_out needs event times; order events `by` another column"


def _row_columns(config: FeaturesConfig) -> Iterator[tuple[str, str, str]]:
    """Yield key, table and column of everything but time that split and negatives read."""
    split, negatives = config.split, config.negatives
    if split.kind == "predefined":
        yield "split.column", "interactions", split.column
    if split.kind == "leave_last_out" and split.by != TIME:
        yield "split.by", "interactions", split.by
    if negatives.kind == "same_category":
        yield "negatives.column", "items", negatives.column
    if negatives.kind == "from_impressions":
        yield "negatives: from_impressions reads", "interactions", EVENT
        if negatives.same is not None:
            yield "negatives.same", "interactions", negatives.same
