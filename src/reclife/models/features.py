"""Which features a model uses, and the embedding tables behind them."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from reclife.config.towers import InitialRows
from reclife.contracts import FIRST_ID, Feature, FeatureSpec
from reclife.errors import ConfigError
from reclife.runtime.seeds import derive

Variable = Any


def used_features(spec: FeatureSpec, exclude: Iterable[str]) -> tuple[Feature, ...]:
    """Return the features of `spec` without those called in `exclude`, in the order of `spec`.

    With a list its weights go; weights may be left out alone, and the list is then a plain mean.

    Raises:
        ConfigError: A name to exclude is not in `spec`, or nothing would be left.
    """
    names = [feature.name for feature in spec.features]
    dropped = set(exclude)
    for unknown in sorted(dropped - set(names)):
        near = difflib.get_close_matches(unknown, names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(names)}."
        raise ConfigError(f"exclude_features names {unknown!r}, which is no feature.{hint}")
    dropped |= {str(spec.feature(name).weights) for name in dropped}
    kept = tuple(feature for feature in spec.features if feature.name not in dropped)
    if not kept:
        raise ConfigError("exclude_features leaves the model without any feature.")
    return kept


def embedded(features: Iterable[Feature]) -> tuple[Feature, ...]:
    """Return the features that are looked up in a table."""
    return tuple(feature for feature in features if feature.table is not None)


def numeric(features: Iterable[Feature]) -> tuple[Feature, ...]:
    """Return the features that are numbers already, the weights of lists left out."""
    return tuple(f for f in features if f.table is None and f.kind != "weights")


def width(features: Iterable[Feature]) -> int:
    """Return how many numbers the numeric `features` have together."""
    return sum(int(np.prod(feature.shape)) for feature in features)


def table_names(features: Iterable[Feature]) -> tuple[str, ...]:
    """Return the tables that `features` look up, each once, in order of first use."""
    return tuple(dict.fromkeys(f.table for f in features if f.table is not None))


def same_length(features: Iterable[Feature], dim: int) -> dict[str, int]:
    """Return `dim` for every table that `features` look up."""
    return dict.fromkeys(table_names(embedded(features)), dim)


def targets(features: tuple[Feature, ...]) -> dict[str, str]:
    """Return, by the name of a sequence, the first category of the item on the same table."""
    items = {
        f.table: f.name for f in reversed(features) if (f.role, f.kind) == ("item", "category")
    }
    return {f.name: items[f.table] for f in features if f.kind == "sequence" and f.table in items}


def required_targets(kind: str, features: tuple[Feature, ...]) -> dict[str, str]:
    """Return `targets`, of which a model of this `kind` needs at least one.

    Raises:
        ConfigError: There is none.
    """
    if found := targets(features):
        return found
    raise ConfigError(
        f"Model {kind} needs a sequence and a category of the item that share a table, and its "
        f"features ({', '.join(f.name for f in features)}) have no such pair: declare a `sequence` "
        "of the item's category, and keep both out of exclude_features."
    )


def embedding_tables(
    spec: FeatureSpec, dims: Mapping[str, int], initial: InitialRows, seed: int
) -> dict[str, Variable]:
    """Return a variable `[V, dims[table]]` for each table that `dims` names.

    Rows are drawn as `initial` says. Those of the reserved ids start at zero: padding stays there,
    and an unknown value says nothing until it was seen.
    """
    tables: dict[str, Variable] = {}
    for name, dim in dims.items():
        generator = np.random.default_rng(derive(seed, "table", name))
        shape = (spec.table(name).size, dim)
        rows = _drawn(initial, shape, generator)
        rows[:FIRST_ID] = 0.0
        tables[name] = tf.Variable(rows, name=name)
    return tables


def _drawn(
    initial: InitialRows, shape: tuple[int, int], generator: np.random.Generator
) -> NDArray[np.float32]:
    if initial.kind == "normal":
        return generator.standard_normal(shape, np.float32) * np.float32(initial.deviation)
    return generator.uniform(-initial.bound, initial.bound, shape).astype(np.float32)
