"""Fits vocabularies and statistics on the training part, in one Spark job or two."""

from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import types as st

from reclife.config.attributes import CategoryFeature, MultiCategoryFeature
from reclife.config.features import FeaturesConfig
from reclife.config.sequences import CategorySequenceFeature
from reclife.contracts import ITEM, USER
from reclife.errors import ConfigError
from reclife.transforms.engine.fit_numbers import statistics, summed
from reclife.transforms.engine.fit_tables import fit_tables
from reclife.transforms.engine.tally import Counting, Wanted, tally
from reclife.transforms.kernels.parts import parts_of, without_suffix
from reclife.transforms.state import FeatureState

Categorical = CategoryFeature | MultiCategoryFeature | CategorySequenceFeature
_KEYS = {"item": ITEM, "user": USER}


def fit(
    train: DataFrame, items: DataFrame, users: DataFrame, config: FeaturesConfig
) -> FeatureState:
    """Return the state fitted on the training events; nothing else is looked at.

    Values are counted per event. A vocabulary is ordered by falling count, ties by value. Means and
    deviations are exact sums of scaled integers, so the state's hash does not depend on the
    partitioning.

    Raises:
        ConfigError: A categorical column is neither int64 nor string.
    """
    sources = {
        "interaction": train,
        "item": train.select(ITEM).join(items, ITEM, "left"),
        "user": train.select(USER).join(users, USER, "left"),
    }
    declared = _declared(config)
    types = {table: _type(f, sources[f.source]) for table, f in declared.items()}
    counted: dict[str, dict[str, Counting]] = {source: {} for source in sources}
    for table, feature in declared.items():
        counted[_home(feature)][table] = _counting(feature)
    sums = summed(config)
    found = tally([Wanted(sources[name], counted[name], sums[name]) for name in sources])
    vocabularies = {
        table: _ordered(found.counts[table], types[table], feature.max_size)
        for table, feature in declared.items()
    }
    return FeatureState(
        config, vocabularies | fit_tables(sources, config), statistics(config, found.sums)
    )


def _declared(config: FeaturesConfig) -> dict[str, Categorical]:
    """Return the vocabularies to count, by table."""
    return {
        f.table or f.name: f
        for f in config.features
        if f.kind in ("category", "multi_category", "category_sequence")
    }


def _home(feature: Categorical) -> str:
    """Return where the column is read: a key stands in the interactions themselves."""
    return "interaction" if feature.column == _KEYS.get(feature.source) else feature.source


def _counting(feature: Categorical) -> Counting:
    if feature.kind != "multi_category":
        return Counting(feature.column, feature.min_count, _as_they_are)
    read = partial(_parts, separator=feature.separator, mark=feature.mark)
    return Counting(feature.column, feature.min_count, read)


def _as_they_are(values: pa.Array) -> pa.Array:
    return values


def _parts(values: pa.Array, separator: str, mark: str | None) -> pa.Array:
    return without_suffix(parts_of(values, separator).texts, mark)


def _type(feature: Categorical, frame: DataFrame) -> pa.DataType:
    kind = frame.schema[feature.column].dataType
    if feature.kind == "multi_category" and isinstance(kind, st.ArrayType):
        kind = kind.elementType
    if isinstance(kind, st.LongType):
        return pa.int64()
    if isinstance(kind, st.StringType):
        return pa.string()
    raise ConfigError(
        f"{feature.name}: column {feature.column!r} is {kind.simpleString()}; "
        "a category must be int64 or string"
    )


def _ordered(counts: pa.Table, kind: pa.DataType, limit: int | None) -> pa.Array:
    """Return the values by falling count, ties by value, at most `limit`."""
    values = counts.set_column(0, "value", counts["value"].cast(kind))
    order = [("rows", "descending"), ("value", "ascending")]
    found = values.take(pc.sort_indices(values, order))["value"]
    return found.slice(0, limit).combine_chunks()
