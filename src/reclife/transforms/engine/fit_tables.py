"""Vocabularies that are not counted: buckets of numbers and parts of dates."""

from collections.abc import Mapping
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from reclife.config.encodings import BucketizeFeature, Quantiles
from reclife.config.features import FeaturesConfig
from reclife.errors import ConfigError
from reclife.transforms.bucketize import as_vocabulary, declared_boundaries
from reclife.transforms.date_part import values_of


def fit_tables(sources: Mapping[str, DataFrame], config: FeaturesConfig) -> dict[str, pa.Array]:
    """Return them by table; quantiles take one Spark job together.

    Raises:
        ConfigError: A column to hash is neither int64 nor string.
    """
    _check_hashable(sources, config)
    vocabularies = {f.name: values_of(f.part) for f in config.features if f.kind == "date_part"}
    wanted = []
    for f in config.features:
        if f.kind != "bucketize":
            continue
        if f.cut.kind == "quantiles":
            wanted.append(_quantiles(sources[f.source], f, f.cut))
        else:
            vocabularies[f.name] = as_vocabulary(declared_boundaries(f.cut))
    if wanted:
        for name, boundaries in reduce(DataFrame.unionAll, wanted).collect():
            vocabularies[name] = as_vocabulary(boundaries or [])
    return vocabularies


def _quantiles(frame: DataFrame, feature: BucketizeFeature, cut: Quantiles) -> DataFrame:
    """Return one row: name and the exact quantiles, interpolated between neighbours."""
    shares = [rank / cut.count for rank in range(1, cut.count)]
    return frame.select(sf.lit(feature.name), sf.percentile(_present(feature.column), shares))


def _present(column: str) -> Column:
    """Return a column as a double, null where it is NaN or infinite."""
    value = sf.col(column).cast("double")
    return sf.when(sf.abs(value) < float("inf"), value)


def _check_hashable(sources: Mapping[str, DataFrame], config: FeaturesConfig) -> None:
    problems = []
    for feature in config.features:
        if feature.kind not in ("hashed_category", "text_ngrams"):
            continue
        kind = sources[feature.source].schema[feature.column].dataType
        if not isinstance(kind, st.LongType | st.StringType):
            problems.append(f"{feature.name}: column {feature.column!r} is {kind.simpleString()}")
    if problems:
        raise ConfigError("only int64 and string can be hashed: " + "; ".join(problems))
