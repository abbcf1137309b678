"""Fits vocabularies and statistics on the training part, in a few Spark jobs."""

from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from reclife.config.attributes import CategoryFeature, MultiCategoryFeature
from reclife.config.features import FeaturesConfig
from reclife.config.sequences import CategorySequenceFeature
from reclife.contracts import ITEM, USER
from reclife.errors import ConfigError
from reclife.transforms.fit_numbers import fit_numbers
from reclife.transforms.fit_tables import fit_tables
from reclife.transforms.state import FeatureState

Categorical = CategoryFeature | MultiCategoryFeature | CategorySequenceFeature
_NAME, _VALUE, _ROWS = "name", "value", "rows"


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
    vocabularies = _vocabularies(sources, config) | fit_tables(sources, config)
    return FeatureState(config, vocabularies, fit_numbers(sources, config))


def _vocabularies(sources: dict[str, DataFrame], config: FeaturesConfig) -> dict[str, pa.Array]:
    declared: dict[str, Categorical] = {
        f.table or f.name: f
        for f in config.features
        if f.kind in ("category", "multi_category", "category_sequence")
    }
    if not declared:
        return {}
    counts = [_counts(sources[f.source], table, f) for table, f in declared.items()]
    found: dict[str, list[tuple[str, int]]] = {table: [] for table in declared}
    for table, value, rows in reduce(DataFrame.unionAll, counts).collect():
        found[table].append((value, rows))
    return {
        table: _ordered(found[table], feature, sources[feature.source])
        for table, feature in declared.items()
    }


def _counts(frame: DataFrame, table: str, feature: Categorical) -> DataFrame:
    value: Column = sf.col(feature.column).cast("string")
    if feature.kind == "multi_category":
        value = sf.explode(_parts(sf.col(feature.column), frame, feature))
    values = frame.select(value.alias(_VALUE))
    if feature.kind == "multi_category":
        values = values.where(sf.col(_VALUE) != "")
    counted = (
        values.where(sf.col(_VALUE).isNotNull()).groupBy(_VALUE).agg(sf.count("*").alias(_ROWS))
    )
    kept = counted.where(sf.col(_ROWS) >= feature.min_count)
    return kept.select(sf.lit(table).alias(_NAME), _VALUE, _ROWS)


def _parts(value: Column, frame: DataFrame, feature: MultiCategoryFeature) -> Column:
    """Return the parts of a text or list as texts, their weights cut off."""
    if isinstance(frame.schema[feature.column].dataType, st.ArrayType):
        value = value.cast("array<string>")
    else:
        value = sf.split(value.cast("string"), rf"\Q{feature.separator}\E")
    mark = feature.mark
    if mark is None:
        return value
    return sf.transform(
        value, lambda part: sf.regexp_replace(part, rf"(?s)^(.*)\Q{mark}\E.*$", "$1")
    )


def _ordered(found: list[tuple[str, int]], feature: Categorical, frame: DataFrame) -> pa.Array:
    kind = frame.schema[feature.column].dataType
    if feature.kind == "multi_category" and isinstance(kind, st.ArrayType):
        kind = kind.elementType
    if isinstance(kind, st.LongType):
        pairs = sorted((-rows, int(value)) for value, rows in found)
        return pa.array([value for _, value in pairs[: feature.max_size]], pa.int64())
    if isinstance(kind, st.StringType):
        texts = sorted((-rows, value) for value, rows in found)
        return pa.array([value for _, value in texts[: feature.max_size]], pa.string())
    raise ConfigError(
        f"{feature.name}: column {feature.column!r} is {kind.simpleString()}; "
        "a category must be int64 or string"
    )
