"""What workers learn of the training rows in one pass: counts of values, exact sums, ranges."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import reduce
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from reclife.transforms.engine.exchange import Batches, gathered, part_count
from reclife.transforms.engine.messages import packed, unpacked
from reclife.transforms.engine.scan import mapped
from reclife.transforms.kernels.arrays import Floats, column, floats, value_hashes
from reclife.transforms.kernels.sums import Sums, exact_sums

_PART, _NAME, _TABLE = "part", "name", "table"
_TOLD = f"{_PART} int, {_NAME} string, {_TABLE} binary"
_VALUE, _ROWS = "value", "rows"
_DISTINCT = 2**20
"""How many partial counts a worker holds before it adds them up."""


class Counting(NamedTuple):
    """A column whose values are counted, nulls left out; `values` makes them of the column.

    Values with fewer than `least` rows are left out, and of each worker's those with less than
    `share` of its rows: then the counts of others may be too low by that share.
    """

    column: str
    least: int
    values: Callable[[pa.Array], pa.Array]
    share: float = 0.0


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
    """What was learnt: `value` and `rows` of the frequent values, and the sums."""

    counts: Mapping[str, pa.Table]
    sums: Mapping[str, Sums]


def tally(wanted: Collection[Wanted]) -> Tally:
    """Count and sum up in one Spark job; the result is the same under any partitioning."""
    asked = [one for one in wanted if one.counted or one.summed]
    if not asked:
        return Tally({}, {})
    parts = part_count(asked[0].rows)
    told = reduce(DataFrame.unionAll, (_told(one, parts) for one in asked))
    least = {name: one.least for each in asked for name, one in each.counted.items()}
    found = told.repartitionById(parts, _PART).mapInArrow(_adding(least), _TOLD).toArrow()
    tables: dict[str, list[pa.Table]] = defaultdict(list)
    for name, table in zip(found[_NAME].to_pylist(), found[_TABLE], strict=True):
        tables[name].append(unpacked(table))
    counts = {name: _together(tables[name]) for name in least}
    sums = {
        name: sum((_sums(one) for one in tables[name]), Sums())
        for each in asked
        for name in each.summed
    }
    return Tally(counts, sums)


def _told(wanted: Wanted, parts: int) -> DataFrame:
    """Return what each worker counts, divided by a hash of the values, and its sums."""
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
            total = found.total
            least = counted[name].share * (pc.sum(total[_ROWS]).as_py() or 0)
            yield from _divided(name, total.filter(pc.greater_equal(total[_ROWS], least)), parts)
        for name, one in sums.items():
            yield _message(0, name, _table(one))

    columns = (sf.col(f"`{name}`") for name in sorted(names))
    return mapped(wanted.rows.select(*columns), run, _TOLD)


def _adding(least: Mapping[str, int]) -> Callable[[Batches], Batches]:
    """Return what adds up the counts of each value; sums pass, they are few."""

    def run(batches: Batches) -> Batches:
        counts: dict[str, _Counts] = defaultdict(_Counts)
        for batch in batches:
            for name, table in zip(batch[_NAME].to_pylist(), batch[_TABLE], strict=True):
                if name in least:
                    counts[name].join(unpacked(table))
                else:
                    yield _message(0, name, unpacked(table))
        for name, found in counts.items():
            total = found.total
            yield _message(0, name, total.filter(pc.greater_equal(total[_ROWS], least[name])))

    return run


class _Counts:
    """Rows per value, added up from time to time."""

    def __init__(self) -> None:
        self._parts: list[pa.Table] = []
        self._held = 0

    def add(self, values: pa.Array) -> None:
        counted = pc.value_counts(values.drop_null())
        self.join(pa.table({_VALUE: counted.field(0), _ROWS: counted.field(1)}))

    def join(self, counts: pa.Table) -> None:
        self._parts.append(counts)
        self._held += counts.num_rows
        if self._held > _DISTINCT:
            self._parts = [self.total]
            self._held = self._parts[0].num_rows

    @property
    def total(self) -> pa.Table:
        found = pa.concat_tables(self._parts).group_by(_VALUE).aggregate([(_ROWS, "sum")])
        return pa.table({_VALUE: found[_VALUE], _ROWS: found[f"{_ROWS}_sum"]})


def _divided(name: str, counts: pa.Table, parts: int) -> Iterator[pa.RecordBatch]:
    part = (value_hashes(column(counts, _VALUE)) % np.uint64(parts)).astype(np.int64)
    for number in np.unique(part):
        yield _message(int(number), name, counts.filter(pa.array(part == number)))


def _message(part: int, name: str, table: pa.Table) -> pa.RecordBatch:
    columns = [pa.array([part], pa.int32()), pa.array([name]), pa.array([packed(table)])]
    return pa.record_batch(columns, [_PART, _NAME, _TABLE])


def _together(counts: list[pa.Table]) -> pa.Table:
    """Return the counts of all parts, no value of which is in two of them."""
    none = pa.table({_VALUE: pa.array([], pa.string()), _ROWS: pa.array([], pa.int64())})
    return pa.concat_tables(counts) if counts else none


def _table(sums: Sums) -> pa.Table:
    """Return sums as one row; whole numbers of any size are texts."""
    whole = {"rows": str(sums.rows), "total": str(sums.total), "squares": str(sums.squares)}
    return pa.Table.from_pylist([whole | {"smallest": sums.smallest, "largest": sums.largest}])


def _sums(table: pa.Table) -> Sums:
    (row,) = table.to_pylist()
    return Sums(
        int(row["rows"]), int(row["total"]), int(row["squares"]), row["smallest"], row["largest"]
    )
