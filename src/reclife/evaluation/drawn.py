"""Drawn negatives for sampled list metrics: the same for every model, kept as a table."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.evaluation import SampledConfig
from reclife.contracts import ITEM, TIME, USER
from reclife.evaluation.queries import Queries, Targets
from reclife.retrieval.interactions import Ints, ItemIndex


def draw(queries: Queries, known: pa.Array, config: SampledConfig) -> Targets:
    """Draw items that are neither in a query's history nor among its targets, each once.

    Args:
        queries: Who is asked for lists.
        known: The known items, in a fixed order.
        config: How many; fewer where fewer are left.
    """
    index, rng = ItemIndex(known), np.random.default_rng(config.seed)
    lengths = np.asarray(pc.list_value_length(queries.histories), np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    met = index.columns(queries.histories.flatten())
    right = index.columns(queries.upcoming.items)
    bounds = np.searchsorted(queries.upcoming.query, np.arange(len(queries) + 1))
    chosen = []
    for q in range(len(queries)):
        own = met[starts[q] : starts[q + 1]], right[bounds[q] : bounds[q + 1]]
        taken = np.unique(np.concatenate(own))
        taken = taken[taken >= 0]
        free = len(known) - len(taken)
        ranks = rng.choice(free, min(config.negatives, free), replace=False, shuffle=False)
        chosen.append(_nth_free(np.sort(ranks), taken))
    query = np.repeat(np.arange(len(queries)), [len(some) for some in chosen])
    return Targets(query, index.raw(np.concatenate([np.zeros(0, np.int64), *chosen])), None)


def _nth_free(ranks: Ints, taken: Ints) -> Ints:
    """Return the numbers at `ranks` among those from 0 that are not `taken`, which is sorted."""
    free_before = taken - np.arange(len(taken))
    return ranks + np.searchsorted(free_before, ranks, side="right")


def as_table(queries: Queries, drawn: Targets | None) -> pa.Table:
    """Return user, time and item of every drawn negative; no row where none are asked for."""
    if drawn is None:
        empty = np.zeros(0, np.int64)
        drawn = Targets(empty, queries.upcoming.items.slice(0, 0), None)
    columns = {USER: queries.users.take(pa.array(drawn.query)), ITEM: drawn.items}
    if queries.times is not None:
        columns[TIME] = pa.array(queries.times[drawn.query])
    return pa.table(columns)
