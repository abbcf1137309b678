"""Which part of a batch each copy of a model takes."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def slices(rows: int, count: int, groups: Array | None) -> list[slice]:
    """Return `count` slices that cover `rows` rows, each row once, in order and about evenly.

    Args:
        rows: How many rows the batch has.
        count: How many copies there are; with fewer rows some get none.
        groups: The group of each row, `[rows]`, where no group may be cut: neighbours of one
            group stay together.
    """
    ends = np.arange(count + 1) * rows // count
    if groups is not None and rows:
        starts = np.append(np.flatnonzero(np.diff(groups, prepend=groups[0] - 1)), rows)
        later = starts[np.searchsorted(starts, ends)]
        earlier = starts[np.searchsorted(starts, ends, side="right") - 1]
        ends = np.where(ends - earlier <= later - ends, earlier, later)
    return [slice(int(a), int(b)) for a, b in pairwise(ends)]
