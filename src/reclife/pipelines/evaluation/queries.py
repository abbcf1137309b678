"""At which moments lists are asked for, what was seen by then, and what comes next."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.evaluation import QueriesConfig
from reclife.contracts import ITEM, TIME, USER
from reclife.transforms.arrays import Ints, column, hash_of, ints, positions

Bools = npt.NDArray[np.bool_]


@final
@dataclass(frozen=True)
class Targets:
    """What counts as right: `items` `[M]` raw ids and their `query` `[M]`, ascending."""

    query: Ints
    items: pa.Array

    def per_query(self, queries: int) -> Ints:
        """Return the number of targets of each query."""
        return np.bincount(self.query, minlength=queries)


@final
@dataclass(frozen=True)
class Queries:
    """Q moments of U users.

    Attributes:
        users: `[Q]` raw user ids.
        owners: `[Q]` user number, 0 .. U-1.
        n_users: U.
        times: `[Q]` seconds; None on data without time.
        histories: `[Q]` lists of all earlier items of the user, oldest first.
        known: The next new items among those known before the test part.
        upcoming: The next new items, unknown ones included.
        upcoming_known: Which of these are known.
    """

    users: pa.Array
    owners: Ints
    n_users: int
    times: Ints | None
    histories: pa.Array
    known: Targets
    upcoming: Targets
    upcoming_known: Bools

    def __len__(self) -> int:
        return len(self.owners)

    def requests(self, query: Ints, items: pa.Array) -> pa.Table:
        """Return one feature request for each pair of query and item."""
        columns = {USER: self.users.take(pa.array(query)), ITEM: items}
        if self.times is not None:
            columns[TIME] = pa.array(self.times[query])
        return pa.table(columns)


def build(past: pa.Table, test: pa.Table, config: QueriesConfig) -> Queries:
    """Build the queries of the users of the test part.

    A query is a second at which a user has test events: the history is every strictly earlier
    event, the targets the next events from that second on whose item is new to the user. Seconds
    are chosen by hash where a user has many, and events of one second are ordered by hash. Without
    time a user has one query: history from `past`, targets from `test`.

    Args:
        past: Events before the test part.
        test: Events of the test part.
        config: Length of history, number of queries and of targets.
    """
    log = _Log(past, test)
    starts = log.query_starts()
    starts = starts[starts - log.first[log.owners[starts]] >= config.min_history]
    starts = _at_most(log, starts, config.max_per_user)
    found, owners = np.unique(log.owners[starts], return_inverse=True)
    histories = _ranges(log.first[log.owners[starts]], starts)
    offsets = np.concatenate([[0], np.cumsum(histories.lengths)])
    items = log.items.take(pa.array(histories.places))
    upcoming, chosen = _next(log, starts, log.new, config.targets)
    return Queries(
        users=log.users.take(pa.array(log.owners[starts])),
        owners=owners,
        n_users=len(found),
        times=log.clock[starts] if log.timed else None,
        histories=pa.LargeListArray.from_arrays(pa.array(offsets), items),
        known=_next(log, starts, log.new & log.known, config.targets)[0],
        upcoming=upcoming,
        upcoming_known=log.known[chosen],
    )


@final
class _Log:
    """All events of the test users, sorted by user, then time, then hash `[N]`."""

    def __init__(self, past: pa.Table, test: pa.Table) -> None:
        self.timed = TIME in test.column_names
        names = [USER, ITEM, *([TIME] if self.timed else [])]
        self.users = column(test, USER).unique()
        events = pa.concat_tables([past.select(names), test.select(names)])
        in_test = np.arange(events.num_rows) >= past.num_rows
        clock = ints(events, TIME) if self.timed else in_test.astype(np.int64)
        owners = positions(column(events, USER), self.users)
        order = np.lexsort((hash_of(events, (USER, ITEM)), clock, owners))
        order = order[owners[order] >= 0]
        self.owners, self.clock, self.in_test = owners[order], clock[order], in_test[order]
        self.items = column(events, ITEM).take(pa.array(order))
        self.known: Bools = positions(self.items, column(past, ITEM).unique()) >= 0
        self.first = np.searchsorted(self.owners, np.arange(len(self.users)))
        self.last = np.searchsorted(self.owners, np.arange(len(self.users)), side="right")
        self.new = self._first_occurrences()

    def query_starts(self) -> Ints:
        """Return the place of the first event of each user's seconds in the test part."""
        begins = np.ones(len(self.owners), bool)
        begins[1:] = np.diff(self.owners).astype(bool) | np.diff(self.clock).astype(bool)
        return np.flatnonzero(begins & self.in_test)

    def _first_occurrences(self) -> Bools:
        codes = np.asarray(pc.dictionary_encode(self.items).indices, np.int64)
        pairs = self.owners * (codes.max(initial=0) + 1) + codes
        new = np.zeros(len(pairs), bool)
        new[np.unique(pairs, return_index=True)[1]] = True
        return new


@final
@dataclass(frozen=True)
class _Ranges:
    places: Ints
    lengths: Ints


def _ranges(starts: Ints, stops: Ints) -> _Ranges:
    """Return all places of the ranges [start, stop), one range after the other."""
    lengths = stops - starts
    begins = np.cumsum(lengths) - lengths
    places = np.arange(lengths.sum()) + np.repeat(starts - begins, lengths)
    return _Ranges(places, lengths)


def _at_most(log: _Log, starts: Ints, limit: int) -> Ints:
    """Keep at most `limit` queries a user, those of the smallest hash."""
    moments = pa.table(
        {USER: log.users.take(pa.array(log.owners[starts])), TIME: pa.array(log.clock[starts])}
    )
    order = np.lexsort((hash_of(moments, (USER, TIME)), log.owners[starts]))
    owners = log.owners[starts][order]
    rank = np.arange(len(order)) - np.searchsorted(owners, owners)
    return np.sort(starts[order[rank < limit]])


def _next(log: _Log, starts: Ints, eligible: Bools, limit: int) -> tuple[Targets, Ints]:
    """Return the next `limit` eligible events of each query's user, and their places in the log.

    Without time there is no next event: all that are eligible count.
    """
    places = np.flatnonzero(eligible)
    begin = np.searchsorted(places, starts)
    end = np.searchsorted(places, log.last[log.owners[starts]])
    if log.timed:
        end = np.minimum(end, begin + limit)
    chosen = _ranges(begin, end)
    query = np.repeat(np.arange(len(starts)), chosen.lengths)
    taken = places[chosen.places]
    return Targets(query, log.items.take(pa.array(taken))), taken
