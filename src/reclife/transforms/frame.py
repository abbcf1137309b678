"""What a feature is computed from: requests and, where it looks back, the events of one key."""

from functools import cached_property
from typing import Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reclife.contracts import ITEM, LABEL, TIME, USER
from reclife.transforms.arrays import Ints, column, floats, hash_of, ints, positions
from reclife.transforms.timeline import Running, Span, Timeline


@final
class Frame:
    """The requests of one pass beside all events of their keys.

    Args:
        requests: One row per feature row, attributes attached.
        events: Events that may lie before them; `None` for features that do not look back.
        key: The column that requests and events share, `user_id` or `item_id`.
        cut: Events from this time on are not seen, whatever the request's own time.
    """

    def __init__(
        self, requests: pa.Table, events: pa.Table | None, key: str, cut: int | None
    ) -> None:
        self.requests = requests
        self.events = pa.table({}) if events is None else events
        self._key = key
        self._cut = cut

    @cached_property
    def _keys(self) -> pa.Array:
        return pc.unique(column(self.events, self._key))

    @cached_property
    def event_codes(self) -> Ints:
        """Dense code of each event's key, [N]."""
        return positions(column(self.events, self._key), self._keys)

    @cached_property
    def request_codes(self) -> Ints:
        """Code of each request's key, -1 for a key without events, [M]."""
        return positions(column(self.requests, self._key), self._keys)

    @cached_property
    def times(self) -> Ints:
        """The moment as of which each request sees its key's events, [M]."""
        times = ints(self.requests, TIME)
        return times if self._cut is None else np.minimum(times, self._cut)

    @cached_property
    def timeline(self) -> Timeline:
        """The events sorted by key, time, hash of the ids and label."""
        ties = (floats(self.events, LABEL), hash_of(self.events, (USER, ITEM)))
        return Timeline(self.event_codes, ints(self.events, TIME), ties)

    @cached_property
    def _spans(self) -> tuple[Span, Ints]:
        span = self.timeline.before(self.request_codes, self.times)
        pairs = span.start * (self.events.num_rows + 1) + span.stop
        _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
        return Span(span.start[first], span.stop[first]), inverse

    @property
    def spans(self) -> Span:
        """The distinct ranges of events that requests see, [S]; see `spread`."""
        return self._spans[0]

    def spread(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return per request, [M, ...], what was computed per distinct span, [S, ...]."""
        return values[self._spans[1]]

    def sorted_events(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return event values in the order of the timeline."""
        return values[self.timeline.order]

    def running(self, value: str) -> Running:
        """Return the running sums of an event value."""
        return Running(self.sorted_events(floats(self.events, value)))
