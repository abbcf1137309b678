"""Which interactions lie before the test part, and which in it."""

import pyarrow as pa
import pyarrow.compute as pc

from reclife.contracts import TIME, FeatureStats
from reclife.transforms.engine.known_events import among


def divide(
    interactions: pa.Table,
    train: pa.Table,
    validation: pa.Table,
    test: pa.Table,
    stats: FeatureStats,
) -> tuple[pa.Table, pa.Table]:
    """Return the interactions before the test part and those in it.

    By the cut where the split is by time; otherwise by the events among the examples, one of both
    parts counting as seen before. A drawn negative is no event: an item that was drawn for a user
    in training may be what the user meets in the test part.

    Args:
        interactions: All canonical events.
        train: Examples.
        validation: Examples.
        test: Examples.
        stats: Holds the cut.
    """
    if stats.test_start is not None:
        before = pc.less(interactions[TIME], stats.test_start)
        return interactions.filter(before), interactions.filter(pc.invert(before))
    past = among(interactions, train) | among(interactions, validation)
    later = among(interactions, test) & ~past
    return interactions.filter(pa.array(past)), interactions.filter(pa.array(later))
