"""What workers learn of the training rows in one pass: counts of values, exact sums, ranges."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from decimal import Decimal
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from reclife.transforms.arrays import Floats, column, floats
from reclife.transforms.exchange import Batches, gathered
from reclife.transforms.sums import Sums, exact_sums

_NAME, _VALUE, _ROWS = "name", "value", "rows"
_DECIMAL = pa.decimal128(38, 0)
_TOLD = pa.schema(
    {
        _NAME: pa.string(),
        _VALUE: pa.string(),
        "least": pa.int64(),
        _ROWS: pa.int64(),
        "total": _DECIMAL,
        "high": _DECIMAL,
        "low": _DECIMAL,
        "smallest": pa.float64(),
        "largest": pa.float64(),
    }
)
_SQL = "name string, value string, least bigint, rows bigint, total decimal(38,0), "
_SQL += "high decimal(38,0), low decimal(38,0), smallest double, largest double"
_DISTINCT = 2**20
"""How many partial counts a worker holds before it adds them up."""


class Counting(NamedTuple):
    """A column whose values are counted, nulls left out; `values` makes them of the column."""

    column: str
    least: int
    values: Callable[[pa.Array], pa.Array]


class Summing(NamedTuple):
    """Numbers that are summed up; `numbers` makes them of the finite ones of the column."""

    column: str
    numbers: Callable[[Floats], Floats]


class Wanted(NamedTuple):
    """What is to be learnt of a table's rows, by name."""

    rows: DataFrame
    counted: Mapping[str, Counting]
    summed: Mapping[str, Summing]


class Tally(NamedTuple):
    """What was learnt: `value` and `rows` of the frequent values as texts, and the sums."""

    counts: Mapping[str, pa.Table]
    sums: Mapping[str, Sums]


def tally(wanted: Collection[Wanted]) -> Tally:
    """Count and sum up in one Spark job; the result is the same under any partitioning."""
    told = [_told(one) for one in wanted if one.counted or one.summed]
    if not told:
        return Tally({}, {})
    added = (sf.sum(name).alias(name) for name in (_ROWS, "total", "high", "low"))
    ends = (sf.min("smallest").alias("smallest"), sf.max("largest").alias("largest"))
    together = reduce(DataFrame.unionAll, told).groupBy(_NAME, _VALUE, "least")
    found = together.agg(*added, *ends).where(f"{_ROWS} >= least").toArrow()
    counts = {
        name: found.filter(pc.equal(found[_NAME], name)).select([_VALUE, _ROWS])
        for one in wanted
        for name in one.counted
    }
    sums = dict.fromkeys((name for one in wanted for name in one.summed), Sums())
    for row in found.filter(found[_VALUE].is_null()).to_pylist():
        sums[row[_NAME]] = _sums(row)
    return Tally(counts, sums)


def _told(wanted: Wanted) -> DataFrame:
    counted, summed = wanted.counted, wanted.summed
    names = {one.column for one in counted.values()} | {one.column for one in summed.values()}

    def run(batches: Batches) -> Batches:
        counts: dict[str, _Counts] = defaultdict(_Counts)
        sums: dict[str, Sums] = defaultdict(Sums)
        for rows in gathered(batches):
            for name, counting in counted.items():
                counts[name].add(counting.values(column(rows, counting.column)))
            for name, summing in summed.items():
                values = floats(rows, summing.column)
                sums[name] += exact_sums(summing.numbers(values[np.isfinite(values)]))
        for name, found in counts.items():
            yield from _counts_told(name, counted[name].least, found)
        if sums:
            yield pa.RecordBatch.from_pylist([_row(*one) for one in sums.items()], _TOLD)

    columns = (sf.col(f"`{name}`") for name in sorted(names))
    return wanted.rows.select(*columns).mapInArrow(run, _SQL)


class _Counts:
    """Rows per value, added up from time to time."""

    def __init__(self) -> None:
        self._parts: list[pa.Table] = []
        self._held = 0

    def add(self, values: pa.Array) -> None:
        counted = pc.value_counts(values.drop_null())
        table = pa.table({_VALUE: counted.field(0), _ROWS: counted.field(1)})
        self._parts.append(table)
        self._held += len(counted)
        if self._held > _DISTINCT:
            self._parts = [self.total]
            self._held = self._parts[0].num_rows

    @property
    def total(self) -> pa.Table:
        found = pa.concat_tables(self._parts).group_by(_VALUE).aggregate([(_ROWS, "sum")])
        return pa.table({_VALUE: found[_VALUE], _ROWS: found[f"{_ROWS}_sum"]})


def _counts_told(name: str, least: int, counts: _Counts) -> Iterator[pa.RecordBatch]:
    found = counts.total
    size = found.num_rows
    columns = {
        _NAME: pa.repeat(name, size),
        _VALUE: found[_VALUE].cast(pa.string()),
        "least": pa.repeat(least, size),
        _ROWS: found[_ROWS],
    }
    columns |= {
        field.name: pa.nulls(size, field.type) for field in _TOLD if field.name not in columns
    }
    return iter(pa.table(columns, schema=_TOLD).to_batches(max_chunksize=65_536))


def _row(name: str, sums: Sums) -> dict[str, Any]:
    high, low = divmod(sums.squares, 2**64)
    return {
        _NAME: name,
        "least": 0,
        _ROWS: sums.rows,
        "total": Decimal(sums.total),
        "high": Decimal(high),
        "low": Decimal(low),
        "smallest": sums.smallest,
        "largest": sums.largest,
    }


def _sums(row: Mapping[str, Any]) -> Sums:
    squares = int(row["high"]) * 2**64 + int(row["low"])
    return Sums(row[_ROWS], int(row["total"]), squares, row["smallest"], row["largest"])
