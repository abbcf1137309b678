"""Fits vocabularies and statistics on the training part, in two Spark jobs."""

from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from reclife.config.attributes import CategoryFeature, MultiCategoryFeature, NumericFeature
from reclife.config.features import FeaturesConfig
from reclife.contracts import ITEM, LABEL, USER
from reclife.errors import ConfigError
from reclife.transforms.state import FeatureState, deviation_of, mean_of
from reclife.transforms.timeline import SCALE

Categorical = CategoryFeature | MultiCategoryFeature
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
    return FeatureState(config, _vocabularies(sources, config), _statistics(sources, config))


def _vocabularies(sources: dict[str, DataFrame], config: FeaturesConfig) -> dict[str, pa.Array]:
    declared: dict[str, Categorical] = {
        f.table or f.name: f for f in config.features if f.kind in ("category", "multi_category")
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
        value = sf.explode(sf.split(value, rf"\Q{feature.separator}\E"))
    values = frame.select(value.alias(_VALUE))
    if feature.kind == "multi_category":
        values = values.where(sf.col(_VALUE) != "")
    counted = (
        values.where(sf.col(_VALUE).isNotNull()).groupBy(_VALUE).agg(sf.count("*").alias(_ROWS))
    )
    kept = counted.where(sf.col(_ROWS) >= feature.min_count)
    return kept.select(sf.lit(table).alias(_NAME), _VALUE, _ROWS)


def _ordered(found: list[tuple[str, int]], feature: Categorical, frame: DataFrame) -> pa.Array:
    kind = frame.schema[feature.column].dataType
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


def _statistics(sources: dict[str, DataFrame], config: FeaturesConfig) -> dict[str, float]:
    moments = [
        _moments(sources["interaction"], mean_of("event", v), sf.col(v)) for v in _values(config)
    ]
    standardized = [f for f in config.features if f.kind == "numeric" and f.standardize]
    for feature in standardized:
        name = mean_of("feature", feature.name)
        moments.append(_moments(sources[feature.source], name, _number(feature)))
    found = {row[0]: row[1:] for row in reduce(DataFrame.unionAll, moments).collect()}
    statistics = {name: _mean(*row) for name, row in found.items()}
    for feature in standardized:
        row = found[mean_of("feature", feature.name)]
        statistics[deviation_of("feature", feature.name)] = _deviation(*row)
    return statistics


def _values(config: FeaturesConfig) -> list[str]:
    """Return the event values that need a prior; the label always."""
    looking = (f.value for f in config.features if f.kind in ("mean", "recent_mean", "affinity"))
    return sorted({LABEL, *looking})


def _number(feature: NumericFeature) -> Column:
    value = sf.coalesce(sf.col(feature.column).cast("double"), sf.lit(feature.missing))
    return sf.log1p(sf.greatest(value, sf.lit(0.0))) if feature.log1p else value


def _moments(frame: DataFrame, name: str, value: Column) -> DataFrame:
    """Return one row: name, count, sum and sum of squares in units of 1 / SCALE, exactly."""
    scaled = sf.rint(value.cast("double") * SCALE).cast("decimal(18,0)")
    return frame.select(
        sf.lit(name).alias(_NAME),
        sf.count(scaled).alias(_ROWS),
        sf.sum(scaled).alias("total"),
        sf.sum((scaled * scaled).cast("decimal(38,0)")).alias("squares"),
    )


def _mean(rows: int, total: int | None, squares: int | None) -> float:
    del squares
    return int(total) / SCALE / rows if rows and total is not None else 0.0


def _deviation(rows: int, total: int | None, squares: int | None) -> float:
    """Return the population standard deviation, 1 for a constant."""
    if not rows or total is None or squares is None:
        return 1.0
    variance = (int(squares) * rows - int(total) ** 2) / (rows * SCALE) ** 2
    return float(variance**0.5) if variance > 0 else 1.0
