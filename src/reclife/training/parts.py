"""Parts of a model by name: what a pattern means, and which parts stand still."""

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reclife.config.problems import nearest
from reclife.errors import ConfigError
from reclife.models.ranking import RankingModel

Variable = Any


def dense_parts(model: RankingModel) -> dict[str, Variable]:
    """Return the Keras variables that layers learn, by `dense/<layer>/<path within it>`."""
    return {
        f"dense/{name}/{variable.path.partition('/')[2] or variable.name}": variable
        for name in sorted(model.layers)
        for variable in model.layers[name].trainable_variables
    }


def table_parts(model: RankingModel) -> dict[str, str]:
    """Return the names of the tables by `table/<table>`."""
    return {f"table/{name}": name for name in model.tables}


def layer_parts(model: RankingModel) -> dict[str, str]:
    """Return the names of the layers by `dense/<layer>`."""
    return {f"dense/{name}": name for name in model.layers}


def matching(patterns: Sequence[str], names: Iterable[str], key: str) -> set[str]:
    """Return the `names` that one of the `patterns` fits; the `key` declares them.

    Raises:
        ConfigError: A pattern fits none, so that it says something else than was meant.
    """
    names = list(names)
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise ConfigError(
                f"{key} names {pattern!r}, and no part of the model is called so"
                f"{nearest(pattern, names)}"
            )
    return {name for name in names if any(fnmatch.fnmatchcase(name, p) for p in patterns)}


def freeze(
    model: RankingModel, patterns: Sequence[str], others: Mapping[str, Variable]
) -> set[str]:
    """Let only the parts of `model` move that `patterns` fit; return the tables that stand still.

    A layer of which nothing moves also keeps its moving statistics.

    Args:
        model: What is trained.
        patterns: Of `table/...`, `dense/...` and `others`.
        others: Keras variables that are learnt beside the model, by name.

    Raises:
        ConfigError: A pattern fits nothing.
    """
    dense, tables = dense_parts(model), table_parts(model)
    moving = matching(patterns, [*dense, *tables, *others], "trainable")
    for name, variable in (dense | dict(others)).items():
        variable.trainable = name in moving
    for part, name in layer_parts(model).items():
        if not any(moved.startswith(f"{part}/") for moved in moving):
            model.layers[name].trainable = False
    return {table for part, table in tables.items() if part not in moving}
