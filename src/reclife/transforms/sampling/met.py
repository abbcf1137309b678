"""What each user has met, and by the end of which part."""

from typing import final

import numpy as np

from reclife.transforms.kernels.arrays import Bools, Floats, Ints
from reclife.transforms.split import PARTS


@final
class Met:
    """Pairs of an owner and a place, each from the first part on in which it was met.

    Args:
        owners: Owner of each event, [N]; negative for an event that does not count.
        places: Place of each event, in [0, width); negative as well.
        parts: Part of each event.
        width: Number of places.
    """

    def __init__(self, owners: Ints, places: Ints, parts: Ints, width: int) -> None:
        counts = (owners >= 0) & (places >= 0)
        pairs = owners[counts] * width + places[counts]
        order = np.lexsort((parts[counts], pairs))
        self._pairs, first = np.unique(pairs[order], return_index=True)
        self._since = parts[counts][order][first]
        self._width = width

    def by_the_end_of(self, parts: Ints, owners: Ints, places: Ints) -> Bools:
        """Return whether each owner had met the place by the end of the part."""
        pairs = owners * self._width + places
        if len(self._pairs) == 0:
            return np.zeros(len(pairs), np.bool_)
        where = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
        result: Bools = (self._pairs[where] == pairs) & (self._since[where] <= parts)
        return result

    def weight(self, weights: Floats, parts: Ints, owners: Ints, start: Ints, stop: Ints) -> Floats:
        """Return the weight of what each owner had met in [start, stop) by the end of the part."""
        met = weights[self._pairs % self._width]
        seen = self._since <= np.arange(len(PARTS))[:, None]  # [parts, pairs]
        before = np.pad(np.cumsum(met * seen, axis=1), ((0, 0), (1, 0)))
        first, last = (
            np.searchsorted(self._pairs, owners * self._width + p) for p in (start, stop)
        )
        result: Floats = before[parts, last] - before[parts, first]
        return result
