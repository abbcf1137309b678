"""Looks back in time: which events of a key lie strictly before a moment, and their exact sums."""

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from reclife.errors import DataError
from reclife.transforms.arrays import Bools, Floats, Ints

SCALE = 2**20
"""Values are summed as whole multiples of 1 / SCALE: the sums do not depend on their order."""


class Span(NamedTuple):
    """Per request the range [start, stop) of the sorted events that it may see, [M] each."""

    start: Ints
    stop: Ints


@final
class Timeline:
    """Events sorted by key, then time, then the tie-breakers; never by their source order.

    Args:
        codes: Key of each event, not negative, [N].
        times: Seconds, [N].
        ties: Arrays that order the events of one key and second, the most important last.
    """

    def __init__(self, codes: Ints, times: Ints, ties: Sequence[npt.NDArray[Any]] = ()) -> None:
        self._clock = np.unique(times)
        self._width = len(self._clock) + 1
        places = codes * self._width + np.searchsorted(self._clock, times)
        self.order: npt.NDArray[np.intp] = np.lexsort((*ties, places))
        self._places = places[self.order]

    def before(self, codes: Ints, times: Ints) -> Span:
        """Return the events of each key strictly before each time; code -1 has none."""
        first = codes * self._width
        last = first + np.searchsorted(self._clock, times, side="left")
        return Span(np.searchsorted(self._places, first), np.searchsorted(self._places, last))


@final
class Running:
    """Exact running sum and count of one value over sorted events; NaN is no observation.

    Raises:
        DataError: The values are too large to be summed exactly.
    """

    def __init__(self, values: Floats) -> None:
        self.seen: Bools = ~np.isnan(values)
        self.values = np.where(self.seen, values, 0.0)
        largest = np.abs(self.values).max(initial=0.0)
        if largest * SCALE * max(len(values), 1) >= 2.0**62:
            raise DataError(f"values up to {largest:g} are too large to be averaged over time")
        self._sums = _cumulative(np.rint(self.values * SCALE).astype(np.int64))
        self._counts = _cumulative(self.seen.astype(np.int64))

    def smoothed(self, span: Span, prior: float | Floats, strength: float) -> Floats:
        """Return (sum + strength * prior) / (count + strength) over each span, [M]."""
        total = (self._sums[span.stop] - self._sums[span.start]) / SCALE
        count = self._counts[span.stop] - self._counts[span.start]
        result: Floats = (total + strength * prior) / (count + strength)
        return result


def _cumulative(values: Ints) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)])
