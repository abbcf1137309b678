"""Which events are among the examples of some part, where no cut in time tells."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.contracts import ITEM, LABEL, SAMPLING_PROBABILITY, TIME, USER
from reclife.transforms.kernels.arrays import Bools
from reclife.transforms.kernels.keys import numbered


def among(events: pa.Table, examples: pa.Table) -> Bools:
    """Return whether each event is an example, by user, item and, where there is one, time, [N].

    Drawn negatives are no events: an item that was drawn in training may be met in test.
    """
    if SAMPLING_PROBABILITY in examples.column_names:
        certain = pc.equal(examples[SAMPLING_PROBABILITY], 1.0)
        examples = examples.filter(pc.or_kleene(certain, pc.greater(examples[LABEL], 0)))
    names = tuple(n for n in (USER, ITEM, TIME) if n in events.column_names)
    happened, known = numbered(events, examples, names)
    result: Bools = np.isin(happened, known)
    return result
