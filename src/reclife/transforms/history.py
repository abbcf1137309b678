"""The newest events of a key as a matrix: oldest first, the newest in the last column."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reclife.transforms.arrays import Ints, lists
from reclife.transforms.frame import Frame


def newest_events(frame: Frame, length: int) -> Ints:
    """Return places in the timeline, [S, L]; one behind the last place where there is no event."""
    start, stop = frame.spans
    places = stop[:, None] + np.arange(-length, 0)
    return np.where(places >= start[:, None], places, frame.events.num_rows)


def history(frame: Frame, values: npt.NDArray[Any], padding: float, length: int) -> pa.ListArray:
    """Return, [M, L], the newest of some event values in the order of the timeline, [N]."""
    padded = np.append(values, values.dtype.type(padding))
    return lists(frame.spread(padded[newest_events(frame, length)]))
