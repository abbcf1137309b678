"""At which moments lists are asked for, what was seen by then, and what comes next."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.evaluation import QueriesConfig, SeenPolicy
from reclife.contracts import ITEM, ORDER, TIME, USER
from reclife.errors import DataError
from reclife.transforms.kernels.arrays import Floats, Ints, column, floats, hash_of, ints, positions

Bools = npt.NDArray[np.bool_]


@final
@dataclass(frozen=True)
class Targets:
    """What counts as right.

    Attributes:
        query: `[M]` ascending.
        items: `[M]` raw ids, each once in a query.
        gains: `[M]` grades; None where none are declared.
    """

    query: Ints
    items: pa.Array
    gains: Floats | None

    def per_query(self, queries: int) -> Ints:
        """Return the number of targets of each query."""
        return np.bincount(self.query, minlength=queries)

    def where(self, mask: Bools) -> "Targets":
        """Return some of the targets."""
        gains = None if self.gains is None else self.gains[mask]
        return Targets(self.query[mask], self.items.filter(pa.array(mask)), gains)

    def beside(self, other: "Targets") -> "Targets":
        """Return these targets and then those of `other`, without grades."""
        items = pa.concat_arrays([self.items, other.items])
        return Targets(np.concatenate([self.query, other.query]), items, None)


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
        known: The next items among those known before the test part.
        upcoming: The next items, unknown ones included.
        upcoming_known: Which of these are known.
        per_user: There is one query a user, and what is unknown counts as missed.
        mask: The items of a history may not be listed, and are no targets.
    """

    users: pa.Array
    owners: Ints
    n_users: int
    times: Ints | None
    histories: pa.Array
    known: Targets
    upcoming: Targets
    upcoming_known: Bools
    per_user: bool
    mask: bool

    def __len__(self) -> int:
        return len(self.owners)

    @property
    def counted(self) -> Targets:
        """The targets that recall is a share of."""
        return self.upcoming if self.per_user else self.known

    def requests(self, query: Ints, items: pa.Array) -> pa.Table:
        """Return one feature request for each pair of query and item."""
        columns = {USER: self.users.take(pa.array(query)), ITEM: items}
        if self.times is not None:
            columns[TIME] = pa.array(self.times[query])
        return pa.table(columns)


def build(
    past: pa.Table, test: pa.Table, config: QueriesConfig, seen: SeenPolicy = "mask"
) -> Queries:
    """Build the queries of the users of the test part.

    Per moment, a query is a second at which a user has test events: the history is every strictly
    earlier event, the targets the next events from that second on. Seconds are chosen by hash where
    a user has many. Per user, and without time, a user has one query: the history is what `past`
    holds, by time or the column `order`, and the targets come from `test`; its time is that of the
    user's first test event. Events that nothing orders are ordered by hash. With `mask`, an item
    that the user has met before is no target.

    Args:
        past: Events before the test part.
        test: Events of the test part.
        config: Length of history, number of queries and of targets.
        seen: Whether what is in the history may be listed.

    Raises:
        DataError: The column of grades is not there, or a grade is negative or null.
    """
    log = _Log(past, test, config)
    mask = seen == "mask"
    starts = log.query_starts()
    starts = starts[starts - log.first[log.owners[starts]] >= config.min_history]
    if log.per_moment:
        starts = starts[_at_most(log, starts, config.max_per_user)]
    found, owners = np.unique(log.owners[starts], return_inverse=True)
    histories = _ranges(log.first[log.owners[starts]], starts)
    offsets = np.concatenate([[0], np.cumsum(histories.lengths)])
    items = log.items.take(pa.array(histories.places))
    eligible = log.new if mask else np.ones(len(log.new), bool)
    upcoming, chosen = _next(log, starts, eligible, config.targets)
    return Queries(
        users=log.users.take(pa.array(log.owners[starts])),
        owners=owners,
        n_users=len(found),
        times=log.clock[starts] if log.timed else None,
        histories=pa.LargeListArray.from_arrays(pa.array(offsets), items),
        known=_next(log, starts, eligible & log.known, config.targets)[0],
        upcoming=upcoming,
        upcoming_known=log.known[chosen],
        per_user=not log.per_moment,
        mask=mask,
    )


@final
class _Log:
    """All events of the test users `[N]`, sorted by user, part, time, `order`, then hash.

    Per moment the part does not count: time says it all.
    """

    def __init__(self, past: pa.Table, test: pa.Table, config: QueriesConfig) -> None:
        self.timed = TIME in test.column_names
        self.per_moment = self.timed and config.per == "moment"
        own = [name for name in (TIME, ORDER, config.gain) if name in test.column_names]
        if config.gain is not None and config.gain not in own:
            raise DataError(f"queries.gain: the interactions have no column {config.gain!r}.")
        self.ordered = self.timed or ORDER in own
        self.users = column(test, USER).unique()
        names = list(dict.fromkeys([USER, ITEM, *own]))
        events = pa.concat_tables([past.select(names), test.select(names)])
        in_test = np.arange(events.num_rows) >= past.num_rows
        clock = ints(events, TIME) if self.timed else in_test.astype(np.int64)
        place = floats(events, ORDER) if ORDER in own else np.zeros(len(clock))
        part = np.zeros(len(clock), bool) if self.per_moment else in_test
        owners = positions(column(events, USER), self.users)
        order = np.lexsort((hash_of(events, (USER, ITEM)), place, clock, part, owners))
        order = order[owners[order] >= 0]
        self.owners, self.clock, self.in_test = owners[order], clock[order], in_test[order]
        self.gains = None if config.gain is None else _grades(events, config.gain)[order]
        self.items = column(events, ITEM).take(pa.array(order))
        self.known: Bools = positions(self.items, column(past, ITEM).unique()) >= 0
        self.codes = np.asarray(pc.dictionary_encode(self.items).indices, np.int64)
        self.first = np.searchsorted(self.owners, np.arange(len(self.users)))
        self.last = np.searchsorted(self.owners, np.arange(len(self.users)), side="right")
        self.new = first_of_each(self.owners, self.codes)

    def query_starts(self) -> Ints:
        """Return the place of the first event of each query's moment in the test part."""
        moment = self.clock if self.per_moment else self.in_test.astype(np.int64)
        begins = np.ones(len(self.owners), bool)
        begins[1:] = np.diff(self.owners).astype(bool) | np.diff(moment).astype(bool)
        return np.flatnonzero(begins & self.in_test)


def _grades(events: pa.Table, name: str) -> Floats:
    kind = events[name].type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise DataError(f"queries.gain: {name!r} holds {kind}; grades are numbers, 0 or above.")
    values = floats(events, name)
    wrong = int((~(values >= 0)).sum())
    if wrong:
        raise DataError(
            f"queries.gain: {wrong} of {len(values)} values of {name!r} are no grade: below 0 or "
            "missing."
        )
    return values


def first_of_each(owners: Ints, codes: Ints) -> Bools:
    """Return which rows are the first of their owner and code."""
    pairs = owners * (codes.max(initial=0) + 1) + codes
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


def _at_most(log: _Log, starts: Ints, limit: int) -> Bools:
    """Return which queries to keep: at most `limit` a user, those of the smallest hash."""
    owners = log.owners[starts]
    keys = {USER: log.users.take(pa.array(owners)), TIME: pa.array(log.clock[starts])}
    order = np.lexsort((hash_of(pa.table(keys), (USER, TIME)), owners))
    rank = np.arange(len(order)) - np.searchsorted(owners[order], owners[order])
    kept = np.zeros(len(starts), bool)
    kept[order[rank < limit]] = True
    return kept


def _next(log: _Log, starts: Ints, eligible: Bools, limit: int | str) -> tuple[Targets, Ints]:
    """Return the items of the next `limit` eligible events of each query's user, each once.

    Where nothing orders the events none is next: all that are eligible count.

    Returns:
        The targets, and their places in the log.
    """
    places = np.flatnonzero(eligible)
    begin = np.searchsorted(places, starts)
    end = np.searchsorted(places, log.last[log.owners[starts]])
    if log.ordered and isinstance(limit, int):
        end = np.minimum(end, begin + limit)
    chosen = _ranges(begin, end)
    query = np.repeat(np.arange(len(starts)), chosen.lengths)
    taken = places[chosen.places]
    once = first_of_each(query, log.codes[taken])
    query, taken = query[once], taken[once]
    gains = None if log.gains is None else log.gains[taken]
    return Targets(query, log.items.take(pa.array(taken)), gains), taken
