"""The newest events of a key as a matrix: oldest first, the newest in the last column."""

from typing import Any, final

import numpy as np
import numpy.typing as npt

from reclife.config.sequences import ListedFeature
from reclife.config.windows import seconds_of
from reclife.transforms.kernels.arrays import Bools, Ints
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.timeline import Span, cumulative
from reclife.transforms.kernels.where import kept_by

_ROWS = 65_536
"""Rows padded at a time: what fits a processor's cache."""


@final
class History:
    """The events of each request's key that a sequence lists.

    Args:
        spans: Per request the range of its listed events, [M] each.
        places: Where the listed events stand in the timeline, [K]; `None` for all of them.
        seen: Per request the end of the events seen, listed or not, in the timeline, [M].
    """

    def __init__(self, spans: Span, places: npt.NDArray[np.intp] | None, seen: Ints) -> None:
        self._start, self._stop = spans
        self._places = places
        self._seen = seen

    @classmethod
    def of(cls, frame: Frame, declaration: ListedFeature) -> "History":
        """Return what `declaration` lists, selected once for all that list the same."""
        name = ("history", declaration.where, declaration.session)
        return frame.once(name, lambda: cls._select(frame, declaration))

    @classmethod
    def _select(cls, frame: Frame, declaration: ListedFeature) -> "History":
        spans, places = frame.spans, None
        seen = spans.stop
        if declaration.session or declaration.where:
            kept = kept_by(declaration.where, frame) > 0
            if declaration.session:
                spans, together = _session(frame, seconds_of(declaration.session) or 0)
                kept &= together
            places = np.flatnonzero(kept)
            before = cumulative(kept.astype(np.int64))
            spans = Span(before[spans.start], before[spans.stop])
        spread = Span(frame.spread(spans.start), frame.spread(spans.stop))
        return cls(spread, places, frame.spread(seen))

    @property
    def ends_open(self) -> Bools:
        """Whether the newest listed event of each request is the newest that it sees, [M]."""
        newest = self._stop - 1
        if self._places is not None:
            newest = np.append(self._places, -1)[newest]
        return (self._stop > self._start) & (newest == self._seen - 1)

    def cut(self, length: int) -> Ints:
        """Return how many listed events do not fit into `length` places, [M]."""
        return np.maximum(self._stop - self._start - length, 0)

    def newest(self, values: npt.NDArray[Any], padding: float, length: int) -> npt.NDArray[Any]:
        """Return, [M, L], the newest of some event values in the order of the timeline, [N].

        Rows are copied from overlapping windows over the values; what belongs to another key is
        then padded.
        """
        if self._places is not None:
            values = values[self._places]
        padded = np.concatenate([np.full(length, padding, values.dtype), values])
        result = np.lib.stride_tricks.sliding_window_view(padded, length)[self._stop]
        missing = length - (self._stop - self._start)
        short = np.flatnonzero(missing > 0)
        for first in range(0, len(short), _ROWS):
            rows = short[first : first + _ROWS]
            foreign = np.arange(length) < missing[rows, None]
            result[rows] = np.where(foreign, values.dtype.type(padding), result[rows])
        return result


def _session(frame: Frame, gap: int) -> tuple[Span, Bools]:
    """Return each moment's current session, [S], and which events are of the session they lie in.

    A session opens with an event that happened more than `gap` after all that were seen before it.
    What becomes visible later, but happened before the session opened, is not of it, [N].
    """
    codes, times = (frame.sorted_events(v) for v in (frame.event_codes, frame.event_times))
    opens = np.ones(len(times), np.bool_)
    opens[1:] = (codes[1:] != codes[:-1]) | (times[1:] - frame.newest[:-1] > gap)
    first = np.maximum.accumulate(np.where(opens, np.arange(len(times)), 0))
    start, stop = frame.spans
    begin = stop.copy()
    rows = np.flatnonzero(stop > start)
    last = stop[rows] - 1
    goes_on = frame.moments[rows] - frame.newest[last] <= gap
    begin[rows] = np.where(goes_on, first[last], stop[rows])
    return Span(begin, stop), times >= times[first]
