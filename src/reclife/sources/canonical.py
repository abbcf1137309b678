"""Builds the canonical tables: reads the declared columns, keeps good rows, sets the rest aside."""

import difflib
from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from reclife.config.columns import Column as Declared
from reclife.config.ingest import InteractionsSource
from reclife.contracts import EVENT, ITEM, TIME, USER, WEIGHT
from reclife.errors import DataError
from reclife.sources.headers import check_headers
from reclife.sources.parsing import Parsed, filled, parse, parse_event, parse_time, parse_weight
from reclife.transforms.labels import with_labels

REASON, RAW = "_reason", "_raw"
"""Columns of a parsed table beside the canonical ones: why a row must go, and the row as read."""
SOURCE_DAY = "source_day"
"""Column of a parsed table, in an incremental ingest: the day that the row was found in."""
DUPLICATE = "duplicate"


def parse_interactions(raw: DataFrame, source: InteractionsSource) -> DataFrame:
    """Return canonical columns, `_reason` (null for a good row) and `_raw` for every raw row.

    Raises:
        DataError: Declared columns are missing; all are listed with their nearest matches.
    """
    single = [one for one in (source.time, source.event) if one is not None]
    wanted = [column.source for column in (*source.columns.values(), *single)]
    require_columns("raw_interactions", raw, wanted)
    check_headers("raw_interactions", raw)
    parsed = _parse_all(raw, source.columns)
    if source.time is not None:
        when, kind = sf.col(RAW)[source.time.source], raw.schema[source.time.source].dataType
        parsed.append(parse_time(TIME, source.time, when, kind))
    if source.event is not None:
        what, kind = sf.col(RAW)[source.event.source], raw.schema[source.event.source].dataType
        parsed.append(parse_event(EVENT, source.event, what, kind))
    if source.weight is not None:
        read = {column.name: column.value for column in parsed}
        parsed.append(parse_weight(WEIGHT, source.weight, read))
    return _assemble(raw_rows(raw), parsed)


def without_repeats(parsed: DataFrame, source: InteractionsSource) -> DataFrame:
    """Return `parsed` with a reason at each good row that repeats a (user, item, time, event).

    Of such rows the one with the greatest values stays.
    """
    keys = [name for name in (USER, ITEM, TIME, EVENT) if name in parsed.columns]
    keys += [r.column for r in source.tasks.values() if r.kind == "event" and r.column not in keys]
    good = sf.col(REASON).isNull()
    names = [name for name in parsed.columns if name not in (REASON, RAW)]
    order = [sf.col(name).desc_nulls_last() for name in names]
    window = Window.partitionBy(good, *keys).orderBy(*order)
    repeated = sf.when(good & (sf.row_number().over(window) > 1), sf.lit(DUPLICATE))
    return parsed.withColumn(REASON, sf.coalesce(REASON, repeated))


def newest(parsed: DataFrame) -> int | None:
    """Return the time of the newest good row."""
    found = parsed.where(sf.col(REASON).isNull()).agg(sf.max(TIME)).first()
    return None if found is None else found[0]


def canonical_interactions(
    parsed: DataFrame, source: InteractionsSource, end: int | None
) -> DataFrame:
    """Return the good rows with their labels: ids, time, event, labels, weight, own columns."""
    labelled = with_labels(good_rows(parsed), source, end)
    first = (USER, ITEM, TIME, EVENT, *source.label_columns.values(), WEIGHT)
    leading = [name for name in first if name in labelled.columns]
    return labelled.select(*leading, *(n for n in labelled.columns if n not in leading))


def raw_rows(raw: DataFrame) -> DataFrame:
    """Return `raw` with each row as one struct, `_raw`."""
    return raw.select(sf.struct("*").alias(RAW))


def parse_entities(rows: DataFrame, columns: Mapping[str, Declared], name: str) -> DataFrame:
    """Return the entity columns, `_reason` and `_raw` read from the `_raw` of `rows`.

    Raises:
        DataError: Declared columns are missing; all are listed with their nearest matches.
    """
    raw = rows.select(f"{RAW}.*")
    require_columns(name, raw, [column.source for column in columns.values()])
    check_headers(name, raw)
    return _assemble(rows, _parse_all(raw, columns))


def good_rows(parsed: DataFrame) -> DataFrame:
    """Return the canonical columns of the rows that keep the contract."""
    return parsed.where(sf.col(REASON).isNull()).drop(REASON, RAW, SOURCE_DAY)


def rejected_rows(parsed: DataFrame, source: str) -> DataFrame:
    """Return `source, reason, row` of the rows set aside; `row` is the raw row as JSON."""
    return parsed.where(sf.col(REASON).isNotNull()).select(
        sf.lit(source).alias("source"),
        sf.col(REASON).alias("reason"),
        row_text(parsed).alias("row"),
    )


def row_text(parsed: DataFrame) -> Column:
    """Return the raw row as JSON; where only its text was kept, that, else the canonical row."""
    whole = {"ignoreNullFields": "false"}
    if not isinstance(parsed.schema[RAW].dataType, st.StringType):
        return sf.to_json(sf.col(RAW), whole)
    read = [name for name in parsed.columns if name not in (REASON, RAW, SOURCE_DAY)]
    return sf.coalesce(RAW, sf.to_json(sf.struct(*read), whole))


def one_row_per_id(
    described: DataFrame | None, known: DataFrame, identity: str, columns: Mapping[str, Declared]
) -> DataFrame:
    """Return one row per id with its attributes, `_conflict` and `_completed` (booleans).

    An id described in several ways keeps the fullest description, then the most frequent, then the
    greatest. Ids that only `known` names are added with missing attributes.
    """
    ids = known.select(identity).distinct()
    attributes = [name for name in columns if name != identity]
    if described is None:
        return ids.select(
            identity, sf.lit(False).alias("_conflict"), sf.lit(False).alias("_completed")
        )
    fullness = sum((sf.col(name).isNotNull().cast("int") for name in attributes), sf.lit(0))
    ranked = described.groupBy(identity, *attributes).agg(sf.count("*").alias("_rows"))
    best = ranked.groupBy(identity).agg(
        sf.max(sf.struct(fullness.alias("_full"), "_rows", *attributes)).alias("_best"),
        (sf.count("*") > 1).alias("_conflict"),
    )
    joined = ids.join(best, identity, "full_outer")
    values = [filled(columns[name], sf.col("_best")[name]).alias(name) for name in attributes]
    conflict = sf.coalesce("_conflict", sf.lit(False)).alias("_conflict")
    return joined.select(identity, *values, conflict, sf.col("_best").isNull().alias("_completed"))


def require_columns(table: str, frame: DataFrame, wanted: Iterable[str]) -> None:
    """Raise `DataError` naming every column of `wanted` that `frame` lacks, or has twice."""
    names = sorted(frame.columns)
    if alike := [name for name in names if [n.lower() for n in names].count(name.lower()) > 1]:
        raise DataError(
            f"{table} has columns whose names differ in case only ({', '.join(alike)}): rename one"
        )
    absent = sorted(set(wanted) - set(frame.columns))
    if not absent:
        return
    named = ", ".join(_with_nearest(name, frame.columns) for name in absent)
    raise DataError(
        f"{table} lacks the declared column(s) {named}; its columns are {', '.join(frame.columns)}"
    )


def _with_nearest(name: str, columns: Sequence[str]) -> str:
    nearest = difflib.get_close_matches(name, columns, n=1)
    return f"{name!r} (did you mean {nearest[0]!r}?)" if nearest else repr(name)


def _parse_all(raw: DataFrame, columns: Mapping[str, Declared]) -> list[Parsed]:
    return [
        parse(name, column, sf.col(RAW)[column.source], raw.schema[column.source].dataType)
        for name, column in columns.items()
    ]


def _assemble(rows: DataFrame, parsed: Sequence[Parsed]) -> DataFrame:
    values = [column.value.alias(column.name) for column in parsed]
    reason = sf.coalesce(*(column.reason for column in parsed))
    return rows.select(*values, reason.alias(REASON), RAW)
