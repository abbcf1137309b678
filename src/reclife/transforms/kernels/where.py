"""Which events a declared condition keeps."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.windows import Where
from reclife.errors import DataError
from reclife.transforms.kernels.arrays import Bools, Ints, column
from reclife.transforms.kernels.frame import Frame


def kept_by(where: Where | None, frame: Frame) -> Ints:
    """Return 1 for the events that `where` keeps, else 0, in the order of the timeline, [N]."""
    if where is None:
        return np.ones(frame.events.num_rows, np.int64)
    return frame.prepared(where, lambda: matches(frame.events, where).astype(np.int64))


def matches(events: pa.Table, where: Where) -> Bools:
    """Return which events have one of the values, [N].

    Raises:
        DataError: The values are not of the column's type.
    """
    values = column(events, where.column)
    try:
        wanted = pa.array(list(where.equals), values.type)
    except (pa.ArrowException, TypeError) as problem:
        raise DataError(
            f"where: {where.column!r} holds {values.type}, which {list(where.equals)} is not"
        ) from problem
    found: Bools = pc.is_in(values, value_set=wanted).to_numpy(zero_copy_only=False)
    return found
