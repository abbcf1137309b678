"""Which interactions lie before the test part, and which in it."""

import pyarrow as pa
import pyarrow.compute as pc

from reclife.contracts import ITEM, TIME, USER, FeatureStats


def divide(
    interactions: pa.Table, known: pa.Table, test: pa.Table, stats: FeatureStats
) -> tuple[pa.Table, pa.Table]:
    """Return the interactions before the test part and those in it.

    By the cut where the split is by time; otherwise by the pairs of user and item in the examples,
    a pair of both parts counting as seen before.

    Args:
        interactions: All canonical events.
        known: Examples of train and validation.
        test: Examples of test.
        stats: Holds the cut.
    """
    if stats.test_start is not None:
        before = pc.less(interactions[TIME], stats.test_start)
        return interactions.filter(before), interactions.filter(pc.invert(before))
    past = _matching(interactions, known, "left semi")
    rest = _matching(interactions, known, "left anti")
    return past, _matching(rest, test, "left semi")


def _matching(events: pa.Table, pairs: pa.Table, how: str) -> pa.Table:
    pair = [USER, ITEM]
    kept = events.join(pairs.select(pair).group_by(pair).aggregate([]), pair, join_type=how)
    keys = [name for name in (USER, ITEM, TIME) if name in kept.column_names]
    return kept.sort_by([(name, "ascending") for name in keys])
