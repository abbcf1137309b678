"""Holds the declared features against the tables before any work is done."""

from collections.abc import Collection

from reclife.config.features import AS_OF_KINDS, FeaturesConfig
from reclife.contracts import TIME
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
    if config.split.kind == "predefined" and config.split.column not in interactions:
        problems.append(f"split.column {config.split.column!r} is not a column of interactions")
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
    return problems
