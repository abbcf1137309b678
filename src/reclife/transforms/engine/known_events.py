"""Which events lie before the test part, and which in it."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.contracts import (
    ITEM,
    LABEL,
    SAMPLING_PROBABILITY,
    TIME,
    USER,
    FeatureSpec,
    FeatureStats,
)
from reclife.transforms.kernels.arrays import Bools
from reclife.transforms.kernels.keys import numbered


def divide(
    interactions: pa.Table,
    train: pa.Table,
    validation: pa.Table,
    test: pa.Table,
    spec: FeatureSpec,
    stats: FeatureStats,
) -> tuple[pa.Table, pa.Table]:
    """Return the interactions before the test part and those in it.

    By the cut where the split is by time; otherwise by the events among the examples, one of both
    parts counting as seen before. A drawn negative is no event: an item that was drawn for a user
    in training may be what the user meets in the test part. An event that down-sampling took from
    the training part did happen there.

    Args:
        interactions: All canonical events.
        train: Examples.
        validation: Examples.
        test: Examples.
        spec: Says whether training rows were down-sampled.
        stats: Holds the cut.
    """
    if stats.test_start is not None:
        before = pc.less(interactions[TIME], stats.test_start)
        return interactions.filter(before), interactions.filter(pc.invert(before))
    past = _among(interactions, train) | _among(interactions, validation)
    later = _among(interactions, test) & ~past
    if spec.negative_rate < 1.0:
        past |= ~later & np.asarray(pc.fill_null(pc.equal(interactions[LABEL], 0), False))
    return interactions.filter(pa.array(past)), interactions.filter(pa.array(later))


def _among(events: pa.Table, examples: pa.Table) -> Bools:
    """Return whether each event is an example, by user, item and, where there is one, time, [N]."""
    if SAMPLING_PROBABILITY in examples.column_names:
        certain = pc.equal(examples[SAMPLING_PROBABILITY], 1.0)
        examples = examples.filter(pc.or_kleene(certain, pc.greater(examples[LABEL], 0)))
    names = tuple(n for n in (USER, ITEM, TIME) if n in events.column_names)
    happened, known = numbered(events, examples, names)
    result: Bools = np.isin(happened, known)
    return result
