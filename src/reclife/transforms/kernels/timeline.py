"""Looks back in time: which events of a key lie strictly before a moment, and their exact sums."""

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from reclife.errors import DataError
from reclife.transforms.kernels.arrays import Bools, Floats, Ints

SCALE = 2**20
"""Values are summed as whole multiples of 1 / SCALE: the sums do not depend on their order."""


class Span(NamedTuple):
    """Per request the range [start, stop) of the sorted events that it may see, [M] each."""

    start: Ints
    stop: Ints


class Scale(NamedTuple):
    """Packs (key, second) into one integer that sorts like the pair: key * width + second - low."""

    low: int
    width: int

    @classmethod
    def of(cls, codes: Ints, times: Ints) -> "Scale":
        """Return the narrowest scale of some keys and seconds.

        Raises:
            DataError: There are more keys times seconds than integers.
        """
        low, high = (int(times.min()), int(times.max())) if len(times) else (0, 0)
        keys = int(codes.max(initial=0)) + 1
        if keys * (high - low + 2) >= 2**63:
            raise DataError(f"the times, {low} to {high}, lie too far apart for {keys} keys")
        return cls(low, high - low + 2)

    def pack(self, codes: Ints, times: Ints) -> Ints:
        """Return one integer per pair; a time outside the scale is moved to its end."""
        places: Ints = codes * self.width + np.clip(times - self.low, 0, self.width - 1)
        return places

    def unpack(self, places: Ints) -> tuple[Ints, Ints]:
        """Return the keys and seconds of packed pairs."""
        codes, seconds = np.divmod(places, self.width)
        return codes, seconds + self.low


@final
class Timeline:
    """Events sorted by key, then time, then the tie-breakers; never by their source order.

    Args:
        codes: Key of each event, not negative, [N].
        times: Seconds, [N].
        ties: Arrays that order the events of one key and second, the most important last.
    """

    def __init__(self, codes: Ints, times: Ints, ties: Sequence[npt.NDArray[Any]] = ()) -> None:
        self._scale = Scale.of(codes, times)
        places = self._scale.pack(codes, times)
        self.order: npt.NDArray[np.intp] = np.argsort(places, kind="stable")
        self._places = places[self.order]
        if ties:
            self._break(ties)

    def _break(self, ties: Sequence[npt.NDArray[Any]]) -> None:
        """Sort the events of one key and second, and only those."""
        same = self._places[1:] == self._places[:-1]
        rows = np.flatnonzero(np.append(False, same) | np.append(same, False))
        events = self.order[rows]
        keys = (*(tie[events] for tie in ties), self._places[rows])
        self.order[rows] = events[np.lexsort(keys)]

    def before(self, codes: Ints, times: Ints) -> Span:
        """Return the events of each key strictly before each time; code -1 has none."""
        first = codes * self._scale.width
        last = self._scale.pack(codes, times)
        return Span(np.searchsorted(self._places, first), np.searchsorted(self._places, last))


@final
class Window:
    """The events of a key in a window that ends at each moment: those that came less those gone.

    Args:
        came: Per moment the range of events seen since ever, [S].
        gone: Per moment the range, in the order of leaving, of those too old, [S].
        leaving: Places in the timeline, in the order in which its events leave the window, [N].
    """

    def __init__(
        self, came: Span, gone: Span | None = None, leaving: npt.NDArray[np.intp] | None = None
    ) -> None:
        self._came = came
        self._gone = gone
        self._leaving = leaving

    @property
    def count(self) -> Ints:
        """How many events lie in the window, [S]."""
        count = self._came.stop - self._came.start
        return count if self._gone is None else count - (self._gone.stop - self._gone.start)

    def total(self, values: Ints) -> Ints:
        """Return the sums, [S], of values in the order of the timeline, [N]."""
        sums = cumulative(values)
        total = sums[self._came.stop] - sums[self._came.start]
        if self._gone is not None:
            left = sums if self._leaving is None else cumulative(values[self._leaving])
            total = total - (left[self._gone.stop] - left[self._gone.start])
        return total


@final
class Running:
    """Exact running sum and count of one value over sorted events; NaN is no observation.

    Raises:
        DataError: The values are too large to be summed exactly.
    """

    def __init__(self, values: Floats) -> None:
        whole, seen = scaled(values)
        self._sums = cumulative(whole)
        self._counts = cumulative(seen.astype(np.int64))

    def smoothed(self, span: Span, prior: float | Floats, strength: float) -> Floats:
        """Return (sum + strength * prior) / (count + strength) over each span, [M]."""
        total = (self._sums[span.stop] - self._sums[span.start]) / SCALE
        count = self._counts[span.stop] - self._counts[span.start]
        result: Floats = (total + strength * prior) / (count + strength)
        return result


def scaled(values: Floats) -> tuple[Ints, Bools]:
    """Return values as multiples of 1 / SCALE, 0 for NaN, and which are no NaN.

    Raises:
        DataError: The values are too large to be summed exactly.
    """
    seen: Bools = ~np.isnan(values)
    known = np.where(seen, values, 0.0)
    largest = np.abs(known).max(initial=0.0)
    if largest * SCALE * max(len(values), 1) >= 2.0**62:
        raise DataError(f"values up to {largest:g} are too large to be averaged over time")
    return np.rint(known * SCALE).astype(np.int64), seen


def cumulative(values: Ints) -> Ints:
    """Return the sums of the first 0, 1, ... N values, [N + 1]."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)])
