"""Holds the declared features against the tables before any work is done."""

from collections.abc import Collection, Iterator

from reclife.config.features import AS_OF_KINDS, FeaturesConfig
from reclife.contracts import EVENT, SAMPLING_PROBABILITY, TIME
from reclife.errors import ConfigError


def check_declaration(
    config: FeaturesConfig,
    interactions: Collection[str],
    items: Collection[str],
    users: Collection[str],
) -> None:
    """Check `config` against the columns of the canonical tables.

    Raises:
        ConfigError: Features or a split need what the data lacks; all problems are listed.
    """
    problems = []
    if TIME not in interactions:
        problems += _without_time(config)
    problems += _rows(config, interactions, items)
    columns = {"interaction": interactions, "item": items, "user": users}
    for feature in config.features:
        if feature.kind in (
            "category",
            "multi_category",
            "hashed_category",
            "numeric",
            "bucketize",
            "vector",
            "text_ngrams",
            "category_sequence",
        ):
            wanted = [(feature.source, feature.column)]
        elif feature.kind in ("mean", "recent_mean", "affinity"):
            wanted = [("interaction", feature.value)]
        elif feature.kind in ("window", "lag"):
            wanted = [("interaction", name) for name in feature.columns]
        else:
            wanted = []
        problems += [
            f"{feature.name}: {column!r} is not a column of the {source}s "
            f"({', '.join(columns[source])})"
            for source, column in wanted
            if column not in columns[source]
        ]
    problems += [
        f"past: {name!r} is not a column of the interactions ({', '.join(interactions)})"
        for name in config.past.columns
        if name not in interactions
    ]
    problems += [
        f"{feature.name}: {name!r} is a column of the interactions already; rename the feature"
        for feature in config.features
        for name in feature.outputs
        if name in interactions
    ]
    if problems:
        raise ConfigError("parameters/features.yml does not fit the data: " + "; ".join(problems))


def _rows(
    config: FeaturesConfig, interactions: Collection[str], items: Collection[str]
) -> Iterator[str]:
    """Yield what split and negatives need and the data lacks."""
    split, negatives = config.split, config.negatives
    wanted: list[tuple[str, str | None, str, Collection[str]]] = []
    if split.kind == "predefined":
        wanted.append(("split.column", split.column, "interactions", interactions))
    if split.kind == "leave_last_out" and split.by != TIME:
        wanted.append(("split.by", split.by, "interactions", interactions))
    if negatives.kind == "same_category":
        wanted.append(("negatives.column", negatives.column, "items", items))
    if negatives.kind == "from_impressions":
        wanted.append(("negatives: from_impressions reads", EVENT, "interactions", interactions))
        wanted.append(("negatives.same", negatives.same, "interactions", interactions))
    for where, name, table, columns in wanted:
        if name is not None and name not in columns:
            yield f"{where} {name!r} is not a column of the {table} ({', '.join(columns)})"
    if negatives.kind != "none" and SAMPLING_PROBABILITY in interactions:
        yield f"{SAMPLING_PROBABILITY} is a column of the interactions already; rename it in ingest"


def _without_time(config: FeaturesConfig) -> list[str]:
    """Return what cannot be done without event times."""
    problems = [
        f"{feature.name}: kind {feature.kind} looks at earlier events, but the data has no time"
        for feature in config.features
        if feature.kind in AS_OF_KINDS
    ]
    problems += [
        f"{feature.name}: kind date_part reads the time, but the data has none"
        for feature in config.features
        if feature.kind == "date_part"
    ]
    if config.split.kind == "global_time":
        problems.append("split: global_time needs event times; use kind hash or predefined")
    if config.split.kind == "leave_last_out" and config.split.by == TIME:
        problems.append("split: leave_last_out needs event times; order events `by` another column")
    return problems
