"""`kind: dwell_sequence`: how long the user stayed with each of the newest events."""

from typing import Any, final

import numpy as np
import numpy.typing as npt

from reclife.config.sequences import DwellSequenceFeature
from reclife.config.windows import seconds_of
from reclife.contracts import Feature
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.history import History
from reclife.transforms.listing import Listing


@final
class DwellSequence(Listing):
    """log(1 + min(seconds until the next event of the user, cap)) of the newest L events.

    The next event may be one that is not listed; while it is not seen, `unknown` stands instead.
    Where events became visible in another order than they happened, the time counts as 0.
    """

    def __init__(self, declaration: DwellSequenceFeature) -> None:
        super().__init__(declaration)
        self._declaration = declaration

    def features(self) -> tuple[Feature, ...]:
        """Return one list of float32."""
        return (
            Feature(
                name=self._declaration.name,
                role="user",
                kind="vector",
                dtype="float32",
                shape=(self._declaration.length,),
            ),
        )

    def values(self, frame: Frame, history: History) -> npt.NDArray[Any]:
        """Return the logs of the times, [M, L]."""
        times = frame.sorted_events(frame.event_times)
        until_next = np.diff(times, append=times[-1:])  # across two users, no request sees it
        stayed = np.clip(until_next, 0, seconds_of(self._declaration.cap))
        logs = np.log1p(stayed.astype(np.float64)).astype(np.float32)
        values = history.newest(logs, 0.0, self._declaration.length)
        values[history.ends_open, -1] = self._declaration.unknown
        return values
