"""What a feature is computed from: requests and, where it looks back, the events of one key."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reclife.config.windows import Past, seconds_of
from reclife.contracts import ITEM, LABEL, TIME, USER
from reclife.transforms.kernels.arrays import Ints, column, floats, hash_of, ints
from reclife.transforms.kernels.keys import joined, matched, ranks
from reclife.transforms.kernels.timeline import Running, Scale, Span, Timeline, Window
from reclife.transforms.kernels.visibility import visible_from

Made = TypeVar("Made")


@final
class Frame:
    """The requests of one pass beside all events of their keys.

    Args:
        requests: One row per feature row, attributes attached.
        events: Events that may lie before them; `None` for features that do not look back.
        keys: The column or columns that make a request's events its own.
        cut: Events from this time on are not seen, whatever the request's own time.
        past: When events become visible and how those of one second are ordered.
    """

    def __init__(
        self,
        requests: pa.Table,
        events: pa.Table | None,
        keys: tuple[str, ...],
        cut: int | None,
        past: Past,
    ) -> None:
        self.requests = requests
        self.events = pa.table({}) if events is None else events
        self._keys = keys
        self._cut = cut
        self.past = past
        self._prepared: dict[object, npt.NDArray[Any]] = {}
        self._windows: dict[str, Window] = {}
        self._made: dict[object, Any] = {}

    @cached_property
    def pairs(self) -> "Frame":
        """The same requests, each beside the events of its user with its item only."""
        return Frame(self.requests, self.events, (USER, ITEM), self._cut, self.past)

    @cached_property
    def _codes(self) -> tuple[Ints, Ints]:
        parts = [matched(column(self.events, k), column(self.requests, k)) for k in self._keys]
        return parts[0] if len(parts) == 1 else joined(parts[0], parts[1])

    @property
    def event_codes(self) -> Ints:
        """Dense code of each event's key, [N]."""
        return self._codes[0]

    @property
    def request_codes(self) -> Ints:
        """Code of each request's key, -1 for a key without events, [M]."""
        return self._codes[1]

    @cached_property
    def times(self) -> Ints:
        """The moment as of which each request sees its key's events, [M]."""
        times = ints(self.requests, TIME)
        return times if self._cut is None else np.minimum(times, self._cut)

    @cached_property
    def event_times(self) -> Ints:
        """When each event happened, [N]."""
        return ints(self.events, TIME)

    @cached_property
    def visible(self) -> Ints:
        """From when on each event is seen: strictly later requests see it, [N]."""
        return visible_from(self.events, self.past)

    @cached_property
    def timeline(self) -> Timeline:
        """The events sorted by key, when they were seen, time, declared ties, hash and label."""
        declared = [ranks(self.events, name) for name in reversed(self.past.ties)]
        ties = (floats(self.events, LABEL), hash_of(self.events, (USER, ITEM)), *declared)
        if self.past.hides:
            ties = (*ties, self.event_times)
        return Timeline(self.event_codes, self.visible, ties)

    @cached_property
    def _moments(self) -> tuple[Ints, Ints, npt.NDArray[np.intp]]:
        scale = Scale.of(self.request_codes, self.times)
        places, inverse = np.unique(scale.pack(self.request_codes, self.times), return_inverse=True)
        return *scale.unpack(places), inverse

    @property
    def moments(self) -> Ints:
        """The times of the distinct (key, time) pairs of the requests, [S]; see `spread`."""
        return self._moments[1]

    @cached_property
    def spans(self) -> Span:
        """The events seen at each of the distinct moments, [S]."""
        codes, times, _ = self._moments
        return self.timeline.before(codes, times)

    def window(self, window: str) -> Window:
        """Return the window of the events seen at each of the distinct moments.

        An event is in it while `moment - window <= time`, once it is seen.
        """
        if window not in self._windows:
            self._windows[window] = self._window(seconds_of(window))
        return self._windows[window]

    def _window(self, length: int | None) -> Window:
        if length is None:
            return Window(self.spans)
        codes, times, _ = self._moments
        if not self.past.hides:
            return Window(self.spans, self.timeline.before(codes, times - length))
        order = self.timeline.order
        leaves = np.maximum(self.visible - length, self.event_times)[order]
        leaving = Timeline(self.event_codes[order], leaves)
        return Window(self.spans, leaving.before(codes, times - length), leaving.order)

    @cached_property
    def newest(self) -> Ints:
        """Per place of the timeline the newest time among its key's events up to there, [N]."""
        codes = self.sorted_events(self.event_codes)
        times = self.sorted_events(self.event_times)
        scale = Scale.of(codes, times)
        return scale.unpack(np.maximum.accumulate(scale.pack(codes, times)))[1]

    def spread(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return per request, [M, ...], what was computed per distinct moment, [S, ...]."""
        return values[self._moments[2]]

    def sorted_events(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return event values in the order of the timeline."""
        return values[self.timeline.order]

    def once(self, name: object, make: Callable[[], Made]) -> Made:
        """Return what `make` returns, made once for all that name it."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made

    def prepared(self, name: object, make: Callable[[], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Return event values in the order of the timeline, made once for all that name them."""
        if name not in self._prepared:
            self._prepared[name] = self.sorted_events(make())
        return self._prepared[name]

    def running(self, value: str) -> Running:
        """Return the running sums of an event value."""
        return Running(self.prepared(value, lambda: floats(self.events, value)))
