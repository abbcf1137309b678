"""The newest events of a key as a matrix: oldest first, the newest in the last column."""

from typing import Any

import numpy as np
import numpy.typing as npt

from reclife.transforms.frame import Frame

_ROWS = 65_536
"""Rows padded at a time: what fits a processor's cache."""


def newest(frame: Frame, values: npt.NDArray[Any], padding: float, length: int) -> npt.NDArray[Any]:
    """Return, [M, L], the newest of some event values in the order of the timeline, [N].

    Rows are copied from overlapping windows over the values; what belongs to another key is then
    padded.
    """
    start, stop = (frame.spread(ends) for ends in frame.spans)
    padded = np.concatenate([np.full(length, padding, values.dtype), values])
    result = np.lib.stride_tricks.sliding_window_view(padded, length)[stop]
    missing = length - (stop - start)
    short = np.flatnonzero(missing > 0)
    for first in range(0, len(short), _ROWS):
        rows = short[first : first + _ROWS]
        foreign = np.arange(length) < missing[rows, None]
        result[rows] = np.where(foreign, values.dtype.type(padding), result[rows])
    return result
