"""Turns raw source columns into canonical values without losing a digit, and says why it cannot.

Integers are read from text digit by digit; a floating-point source is trusted only where it holds a
whole number below 2^53, the last one that a double represents exactly.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from reclife.config.columns import Column, EventColumn, TimeColumn, Weight
from reclife.contracts import EVENT

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
    if column.decimal == "," and isinstance(kind, st.StringType):
        raw = sf.translate(raw, ",.", ".,")  # a point in such a text makes it no number
    wanted = {"int64": "a whole number", "string": "a text", "float64": "a number"}[column.element]
    if column.is_list:
        value, wanted = sf.when(~missing, _list(column, raw, kind)), f"a list, each {wanted}"
        outside = sf.exists(value, lambda one: _outside(column, one))
    else:
        value = sf.when(~missing, _one(column, raw, kind))
        outside = _outside(column, value)
    reason = sf.when(~missing & value.isNull(), sf.lit(f"{name}: not {wanted}"))
    if column.missing == "reject":
        reason = sf.coalesce(reason, sf.when(missing, sf.lit(f"{name}: missing")))
    reason = sf.coalesce(reason, sf.when(outside, sf.lit(f"{name}: out of range")))
    return Parsed(name, filled(column, value), reason)


def filled(column: Column, value: SparkColumn) -> SparkColumn:
    """Return `value` with the declared replacement of missing values, in the declared type."""
    if column.fill is None:
        return value.cast(spark_type(column))
    return sf.coalesce(value, sf.lit(column.fill)).cast(spark_type(column))


def spark_type(column: Column) -> st.DataType:
    """Return the Spark type of a canonical column."""
    one = {"int64": st.LongType(), "string": st.StringType(), "float64": st.DoubleType()}[
        column.element
    ]
    return st.ArrayType(one) if column.is_list else one


def parse_event(name: str, column: EventColumn, raw: SparkColumn, kind: st.DataType) -> Parsed:
    """Return the declared type of the event that the source's value stands for."""
    missing = _missing(raw, kind)
    text = sf.trim(_string(raw, kind))
    value = sf.lit(None).cast("string")
    for event, written in column.types.items():
        among = text.isin(*(str(one).strip() for one in written))
        value = sf.coalesce(value, sf.when(among, sf.lit(event)))
    reason = sf.when(missing, sf.lit(f"{name}: missing")).when(
        value.isNull(), sf.lit(f"{name}: not a declared type")
    )
    return Parsed(name, value, reason)


def parse_weight(name: str, weight: Weight, read: Mapping[str, SparkColumn]) -> Parsed:
    """Return the weight of the example from the canonical columns `read` so far."""
    value = sf.lit(1.0)
    for event, factor in (weight.by_event or {}).items():
        value = sf.when(read[EVENT] == event, sf.lit(factor)).otherwise(value)
    if weight.column is not None:
        value = value * read[weight.column].cast("double")
    sound = (value > 0) & (value < sf.lit(float("inf")))
    reason = sf.when(~sf.coalesce(sound, sf.lit(False)), sf.lit(f"{name}: not above 0"))
    return Parsed(name, value, reason)


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


def _one(column: Column, raw: SparkColumn, kind: st.DataType) -> SparkColumn:
    read = {"int64": _int64, "string": _string, "float64": _float64}[column.element]
    return read(raw, kind)


def _list(column: Column, raw: SparkColumn, kind: st.DataType) -> SparkColumn:
    """Return the values of a list or of a text such as `1,2` or `[1, 2]`; null if one is none."""
    if isinstance(kind, st.StringType):
        text = sf.trim(raw)
        if column.element != "string":
            text = sf.trim(sf.regexp_replace(text, r"^\[|\]$", ""))
        parts = sf.split(text, rf"\Q{column.separator}\E")
        parts = sf.when(text == "", sf.array().cast("array<string>")).otherwise(parts)
        raw, kind = sf.transform(parts, _trimmed), st.ArrayType(st.StringType())
    if not isinstance(kind, st.ArrayType):
        return sf.lit(None).cast(st.ArrayType(st.StringType()))
    values = sf.transform(raw, lambda one: _one(column, one, kind.elementType))
    return sf.when(sf.forall(values, lambda one: one.isNotNull()), values)


def _trimmed(part: SparkColumn) -> SparkColumn:
    return sf.trim(part)


def _outside(column: Column, value: SparkColumn) -> SparkColumn:
    outside = sf.lit(False)
    if column.minimum is not None:
        outside = outside | (value < sf.lit(column.minimum))
    if column.maximum is not None:
        outside = outside | (value > sf.lit(column.maximum))
    return outside


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
