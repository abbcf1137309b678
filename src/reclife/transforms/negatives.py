"""Draws items that a user has not met, as requests with label 0."""

from typing import TYPE_CHECKING, final

import numpy as np
import pyarrow as pa

from reclife.config.features import UniformNegatives
from reclife.contracts import ITEM, LABEL, SPLIT, TIME, USER
from reclife.transforms.arrays import (
    Bools,
    Hashes,
    Ints,
    column,
    hash_of,
    ints,
    positions,
    scramble,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOMENT = "_moment"
"""When an event happened, in any unit that orders events: seconds, or the rank of its part."""
_ATTEMPTS = 16


def draw_negatives(
    positives: pa.Table, events: pa.Table, known: pa.Array, config: UniformNegatives
) -> pa.Table:
    """Return up to `per_positive` rows for each positive, shaped like `positives`.

    The k-th draw of a row is a hash of its ids, its moment, k and the seed, so it is the same under
    any partitioning and in every run. Drawn again, at most sixteen times, are items that the user
    has met up to that moment and items already drawn for the row.

    Args:
        positives: `user_id`, `item_id`, `_moment`, `label` and anything else.
        events: `user_id`, `item_id`, `_moment` of all events of these users.
        known: Distinct item ids to draw from, in a fixed order.
        config: How many, and the seed.
    """
    users = column(positives, USER).unique()
    owners = positions(column(positives, USER), users)
    moments = ints(positives, MOMENT)
    seeds = hash_of(positives, (USER, ITEM, MOMENT))
    met = _Met(events, users, known)
    chosen = np.full((len(owners), config.per_positive), -1, np.int64)
    for rank in range(config.per_positive):
        for attempt in range(_ATTEMPTS):
            open_rows = np.flatnonzero(chosen[:, rank] < 0)
            salt = (config.seed * config.per_positive + rank) * _ATTEMPTS + attempt
            drawn = _pick(seeds[open_rows], salt, len(known))
            fresh = ~met.before(owners[open_rows], drawn, moments[open_rows])
            fresh &= ~(chosen[open_rows] == drawn[:, None]).any(axis=1)
            chosen[open_rows[fresh], rank] = drawn[fresh]
    rows, ranks = np.nonzero(chosen >= 0)
    items = chosen[rows, ranks]
    _, first = np.unique(np.stack([owners[rows], moments[rows], items]), axis=1, return_index=True)
    return _as_negatives(positives.take(rows[first]), known.take(pa.array(items[first])))


def known_items(divided: "DataFrame") -> pa.Array:
    """Return the distinct items of the training part, in the order of their ids."""
    items = divided.where(f"{SPLIT} = 'train'").select(ITEM).distinct().orderBy(ITEM)
    return items.toArrow()[ITEM].combine_chunks()


def with_negatives(divided: "DataFrame", known: pa.Array, config: UniformNegatives) -> "DataFrame":
    """Return the divided interactions and, per user, their negatives by `draw_negatives`.

    Without event times an event's moment is the rank of its part: what training draws may be met
    in test.
    """
    from pyspark.sql import functions as sf

    from reclife.transforms.spark import by_key
    from reclife.transforms.split import PARTS

    rank = sf.array_position(sf.array(*map(sf.lit, PARTS)), sf.col(SPLIT))
    moment = sf.col(TIME) if TIME in divided.columns else rank
    timed = divided.withColumn(MOMENT, moment.cast("bigint"))

    def kernel(positives: pa.Table, events: pa.Table) -> pa.Table:
        return draw_negatives(positives, events, known, config)

    drawn = by_key(
        timed.where(f"{LABEL} > 0"), timed.select(USER, ITEM, MOMENT), USER, kernel, timed.schema
    )
    return divided.unionByName(drawn.drop(MOMENT))


@final
class _Met:
    """Since when each user has met each known item."""

    def __init__(self, events: pa.Table, users: pa.Array, known: pa.Array) -> None:
        owners = positions(column(events, USER), users)
        items = positions(column(events, ITEM), known)
        inside = (owners >= 0) & (items >= 0)
        self._width = len(known)
        pairs = owners[inside] * self._width + items[inside]
        moments = ints(events, MOMENT)[inside]
        order = np.lexsort((moments, pairs))
        self._pairs, first = np.unique(pairs[order], return_index=True)
        self._since = moments[order][first]

    def before(self, owners: Ints, items: Ints, moments: Ints) -> Bools:
        """Return whether the user had met the item by the moment, the moment included."""
        pairs = owners * self._width + items
        if len(self._pairs) == 0:
            return np.zeros(len(pairs), np.bool_)
        where = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
        result: Bools = (self._pairs[where] == pairs) & (self._since[where] <= moments)
        return result


def _pick(seeds: Hashes, salt: int, size: int) -> Ints:
    """Return a number in [0, size) per seed, another one for each salt."""
    salted = scramble(np.array([salt], np.uint64))
    return (scramble(seeds ^ salted) % np.uint64(size)).astype(np.int64)


def _as_negatives(rows: pa.Table, items: pa.Array) -> pa.Table:
    """Return `rows` with other items and label 0; what only the event itself knew becomes null."""
    columns = {
        name: pa.nulls(rows.num_rows, rows.schema.field(name).type) for name in rows.schema.names
    }
    columns |= {name: rows[name] for name in (USER, TIME, SPLIT, MOMENT) if name in columns}
    columns[ITEM] = items.cast(rows.schema.field(ITEM).type)
    columns[LABEL] = pa.array(np.zeros(rows.num_rows))
    return pa.table(columns, schema=rows.schema)
