"""Brings the rows of one key together: Spark moves whole Arrow tables between its Python workers.

A worker divides its rows by a hash of their key and writes each part as one Arrow stream, to Spark
a value of type binary: no row is taken apart on its way from one worker to another.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import types as st

from reclife.contracts import TIME
from reclife.transforms.engine.messages import packed, unpacked
from reclife.transforms.engine.scan import mapped
from reclife.transforms.engine.written import Ending, returned
from reclife.transforms.kernels.arrays import Hashes, column, ints, scramble, value_hashes

Batches = Iterator[pa.RecordBatch]
Kernel = Callable[[pa.Table, pa.Table], pa.Table]
"""(requests, events) of some keys -> their result."""
Among = Callable[[pa.Table], pa.Table]
"""Requests -> the events among them."""

_PART, _ROLE, _TABLE = "part", "role", "table"
_SENT = f"{_PART} int, {_ROLE} tinyint, {_TABLE} binary"
_BOTH, _REQUEST, _EVENT = range(3)
_AS_HASHED = np.uint64(0)
_ROWS, _BYTES = 131_072, 2**26
"""What a worker divides at a time."""


class Hot(NamedTuple):
    """Keys, as texts, with too many events for one part.

    Their requests are spread over `pieces` parts, each of which has all of their events.
    """

    keys: pa.Array
    pieces: int


class Step(NamedTuple):
    """What is done with the requests and the events of the same key."""

    key: str
    kernel: Kernel
    hot: Hot | None = None

    def then(self, finish: Callable[[pa.Table], pa.Table]) -> "Step":
        """Return the step with `finish` run on what its kernel returns."""
        return self._replace(kernel=lambda requests, events: finish(self.kernel(requests, events)))


def by_keys(
    requests: DataFrame,
    events: DataFrame | Among,
    steps: Sequence[Step],
    schema: str | st.StructType,
    ending: Ending = returned,
) -> DataFrame:
    """Return what the last step makes of the requests, each step seeing what the one before made.

    One shuffle a step. A part must fit the memory of a Python worker; how many there are is
    `spark.sql.shuffle.partitions`.

    Args:
        requests: What the first step is given.
        events: The events, or how they are found among the requests.
        steps: At least one.
        schema: Of what is returned in the end.
        ending: What becomes of the tables that the last kernel returns.
    """
    parts = part_count(requests)
    apart = isinstance(events, DataFrame)
    among: Among = _nothing(events) if isinstance(events, DataFrame) else events
    role = _REQUEST if apart else _BOTH
    sent = mapped(requests, _sending(_Sender(steps[0], parts, role, among)), _SENT)
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(events, DataFrame):
            theirs = _Sender(step, parts, _EVENT, among)
            sent = sent.union(mapped(events, _sending(theirs), _SENT))
        together = sent.repartitionById(parts, _PART)
        end = _sent_on(_Sender(following, parts, role, among)) if following else ending
        run = _receiving(step.kernel, among, end)
        sent = together.mapInArrow(run, _SENT if following else schema)
    return sent


def part_count(frame: DataFrame) -> int:
    """Return into how many parts a shuffle divides rows."""
    return int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)


def gathered(batches: Batches) -> Iterator[pa.Table]:
    """Yield the batches' rows in tables that are worth a vectorised step."""
    found: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        found.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _ROWS or size >= _BYTES:
            yield pa.Table.from_batches(found).combine_chunks()
            found, rows, size = [], 0, 0
    if found:
        yield pa.Table.from_batches(found).combine_chunks()


@final
class _Sender:
    """Divides rows by a hash of their key into parts, one value of type binary each."""

    def __init__(self, step: Step, parts: int, role: int, among: Among) -> None:
        self._key = step.key
        self._hot = step.hot
        self._parts = parts
        self._role = role
        self._among = among

    def __call__(self, rows: pa.Table) -> Batches:
        if self._hot is None:
            return self._divided(rows, self._role)
        hot = pc.is_in(column(rows, self._key).cast(pa.string()), value_set=self._hot.keys)
        return chain(
            self._divided(rows.filter(pc.invert(hot)), self._role),
            self._spread(rows.filter(hot), self._hot.pieces),
        )

    def _spread(self, rows: pa.Table, pieces: int) -> Batches:
        """Send each request to one of several parts, and every event to all of them."""
        if self._role != _EVENT:
            piece = scramble(ints(rows, TIME).view(np.uint64)) % np.uint64(pieces)
            yield from self._divided(rows, _REQUEST, piece)
        if self._role != _REQUEST:
            events = rows if self._role == _EVENT else self._among(rows)
            for number in range(pieces):
                yield from self._divided(events, _EVENT, np.uint64(number))

    def _divided(
        self, rows: pa.Table, role: int, further: Hashes | np.uint64 = _AS_HASHED
    ) -> Batches:
        hashes = value_hashes(column(rows, self._key)) % np.uint64(self._parts)
        parts = ((hashes + further) % np.uint64(self._parts)).astype(np.int16)
        order = np.argsort(parts, kind="stable")
        ends = np.searchsorted(parts[order], np.arange(self._parts + 1))
        rows = rows.take(pa.array(order))
        for part in np.flatnonzero(np.diff(ends)):
            yield self._sent(int(part), role, rows.slice(ends[part], ends[part + 1] - ends[part]))

    def _sent(self, part: int, role: int, rows: pa.Table) -> pa.RecordBatch:
        columns = [
            pa.array([part], pa.int32()),
            pa.array([role], pa.int8()),
            pa.array([packed(rows)], pa.binary()),
        ]
        return pa.record_batch(columns, [_PART, _ROLE, _TABLE])


def _sending(send: _Sender) -> Callable[[Batches], Batches]:
    return lambda batches: _sent_on(send)(gathered(batches))


def _sent_on(send: _Sender) -> Ending:
    return lambda tables: chain.from_iterable(map(send, tables))


def _receiving(kernel: Kernel, among: Among, ending: Ending) -> Callable[[Batches], Batches]:
    def computed(batches: Batches) -> Iterator[pa.Table]:
        found = _read(batches)
        if not found[_BOTH] and not found[_REQUEST]:
            return
        requests = _together([*found[_BOTH], *found[_REQUEST]])
        seen = [*map(among, found[_BOTH]), *found[_EVENT]] or [among(requests)]
        events = _together(seen)
        found.clear()
        yield kernel(requests, events)

    return lambda batches: ending(computed(batches))


def _nothing(events: DataFrame) -> Among:
    """Return what finds no events: a table of their columns without rows."""
    none = events.limit(0).toArrow()
    return lambda _: none


def _read(batches: Batches) -> dict[int, list[pa.Table]]:
    found: dict[int, list[pa.Table]] = {_BOTH: [], _REQUEST: [], _EVENT: []}
    for batch in batches:
        for role, value in zip(batch[_ROLE].to_pylist(), batch[_TABLE], strict=True):
            found[role].append(unpacked(value))
    return found


def _together(tables: list[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).combine_chunks()
