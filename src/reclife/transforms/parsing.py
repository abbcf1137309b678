"""Turns raw source columns into canonical values without losing a digit, and says why it cannot.

Integers are read from text digit by digit; a floating-point source is trusted only where it holds a
whole number below 2^53, the last one that a double represents exactly.
"""

import re
from typing import NamedTuple

from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from reclife.config.ingest import Column, TimeColumn

EXACT_DOUBLE = 2**53
"""Whole numbers below this magnitude are exact in a double."""

_DIGITS = r"^[+-]?[0-9]+$"
_POINTED = r"^[+-]?[0-9]+[.]0*$"
_NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_NAMES_A_ZONE = r"(Z|[+-][0-9]{2}(:?[0-9]{2})?|[+-][0-9]{1,2}:[0-9]{2})$"
_NO_SECONDS = r"([T ][0-9]{1,2}:[0-9]{2})(Z|[+-][0-9:]+)?$"
_DATE_ONLY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


class Parsed(NamedTuple):
    """A canonical value and the reason for which its row must go, null for none."""

    name: str
    value: SparkColumn
    reason: SparkColumn


def parse(name: str, column: Column, raw: SparkColumn, kind: st.DataType) -> Parsed:
    """Return the canonical column `name` read from `raw`, which has the Spark type `kind`."""
    missing = _missing(raw, kind)
    read = {"int64": _int64, "string": _string, "float64": _float64}[column.type]
    wanted = {"int64": "a whole number", "string": "a text", "float64": "a number"}[column.type]
    if column.decimal == "," and isinstance(kind, st.StringType):
        raw = sf.translate(raw, ",.", ".,")  # a point in such a text makes it no number
    value = sf.when(~missing, read(raw, kind))
    reason = sf.when(~missing & value.isNull(), sf.lit(f"{name}: not {wanted}"))
    if column.missing == "reject":
        reason = sf.coalesce(reason, sf.when(missing, sf.lit(f"{name}: missing")))
    outside = sf.lit(False)
    if column.minimum is not None:
        outside = outside | (value < sf.lit(column.minimum))
    if column.maximum is not None:
        outside = outside | (value > sf.lit(column.maximum))
    reason = sf.coalesce(reason, sf.when(outside, sf.lit(f"{name}: out of range")))
    return Parsed(name, filled(column, value), reason)


def filled(column: Column, value: SparkColumn) -> SparkColumn:
    """Return `value` with the declared replacement of missing values, in the declared type."""
    if column.fill is None:
        return value.cast(spark_type(column))
    return sf.coalesce(value, sf.lit(column.fill)).cast(spark_type(column))


def spark_type(column: Column) -> st.DataType:
    """Return the Spark type of a canonical column."""
    return {"int64": st.LongType(), "string": st.StringType(), "float64": st.DoubleType()}[
        column.type
    ]


def parse_time(name: str, column: TimeColumn, raw: SparkColumn, kind: st.DataType) -> Parsed:
    """Return the event time as int64 seconds since the epoch, UTC, whatever the session's zone."""
    missing = _missing(raw, kind)
    value = sf.when(~missing, _seconds(column, raw, kind))
    outside = (value < sf.lit(column.earliest)) | (value > sf.lit(column.latest))
    reason = (
        sf.when(missing, sf.lit(f"{name}: missing"))
        .when(value.isNull(), sf.lit(f"{name}: not a time of the format {column.format}"))
        .when(outside, sf.lit(f"{name}: out of range"))
    )
    return Parsed(name, value, reason)


def _missing(raw: SparkColumn, kind: st.DataType) -> SparkColumn:
    if isinstance(kind, st.StringType):
        return raw.isNull() | (sf.trim(raw) == "")
    if isinstance(kind, st.FloatType | st.DoubleType):
        return raw.isNull() | sf.isnan(raw)
    return raw.isNull()


def _int64(raw: SparkColumn, kind: st.DataType) -> SparkColumn:
    if isinstance(kind, st.ByteType | st.ShortType | st.IntegerType | st.LongType):
        return raw.cast("bigint")
    if isinstance(kind, st.StringType):
        text = sf.trim(raw)
        pointed = sf.regexp_replace(text, "[.]0*$", "").try_cast("bigint")
        return sf.when(text.rlike(_DIGITS), text.try_cast("bigint")).when(
            text.rlike(_POINTED) & (sf.abs(pointed) < sf.lit(EXACT_DOUBLE)), pointed
        )
    if isinstance(kind, st.FloatType | st.DoubleType | st.DecimalType):
        whole = raw.try_cast("bigint")
        return sf.when((raw == whole) & (sf.abs(whole) < sf.lit(EXACT_DOUBLE)), whole)
    return sf.lit(None).cast("bigint")


def _string(raw: SparkColumn, kind: st.DataType) -> SparkColumn:
    if isinstance(kind, st.FloatType | st.DoubleType):
        return _int64(raw, kind).cast("string")
    return raw.cast("string")


def _float64(raw: SparkColumn, kind: st.DataType) -> SparkColumn:
    if isinstance(kind, st.NumericType):
        number = raw.cast("double")
    elif isinstance(kind, st.StringType):
        number = sf.when(sf.trim(raw).rlike(_NUMBER), sf.trim(raw).try_cast("double"))
    else:
        return sf.lit(None).cast("double")
    return sf.when(sf.abs(number) < sf.lit(float("inf")), number)


def _seconds(column: TimeColumn, raw: SparkColumn, kind: st.DataType) -> SparkColumn:
    if isinstance(kind, st.TimestampType):
        return sf.unix_seconds(raw)
    if isinstance(kind, st.DateType | st.TimestampNTZType):
        return _text_seconds(raw.cast("string"), "iso", column.zone)
    if not isinstance(kind, st.NumericType | st.StringType):
        return sf.lit(None).cast("bigint")
    if column.format in ("epoch_seconds", "epoch_milliseconds"):
        per_second = 1 if column.format == "epoch_seconds" else 1000
        return sf.floor(raw.try_cast("decimal(28,9)") / per_second).try_cast("bigint")
    return _text_seconds(sf.trim(raw.cast("string")), column.format, column.zone)


def _text_seconds(text: SparkColumn, pattern: str, zone: str) -> SparkColumn:
    if pattern == "iso":
        text = sf.regexp_replace(text, _NO_SECONDS, "$1:00$2")
        clock = sf.when(text.rlike(_DATE_ONLY), sf.concat(text, sf.lit("T00:00:00"))).otherwise(
            text
        )
        zoned = sf.when(clock.rlike("[T ].*" + _NAMES_A_ZONE), clock).otherwise(
            sf.concat(clock, sf.lit(" " + zone))
        )
        return sf.unix_seconds(zoned.try_cast("timestamp"))
    if re.search("[VzOXxZ]", re.sub("'[^']*'", "", pattern)):  # the texts name their zone
        return sf.unix_seconds(sf.try_to_timestamp(text, sf.lit(pattern)))
    dated = sf.concat(text, sf.lit(" " + zone))
    return sf.unix_seconds(sf.try_to_timestamp(dated, sf.lit(pattern + " VV")))
