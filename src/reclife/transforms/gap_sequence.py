"""`kind: gap_sequence`: the time that lies between the user's newest events."""

from typing import Any, final

import numpy as np
import numpy.typing as npt

from reclife.config.sequences import GapSequenceFeature
from reclife.contracts import Feature
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.history import History
from reclife.transforms.listing import Listing

_NONE = -(2**62)
"""Stands for no event; its distance to any second is no overflow."""


@final
class GapSequence(Listing):
    """log(1 + seconds) from each of the newest L events to the next, or to the request.

    Where events became visible in another order than they happened, a gap counts as 0.
    """

    def __init__(self, declaration: GapSequenceFeature) -> None:
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
        """Return the logs of the gaps, [M, L]."""
        sorted_times = frame.sorted_events(frame.event_times)
        times = history.newest(sorted_times, _NONE, self._declaration.length)
        real = times != _NONE
        now = frame.times[:, None]
        later = now if self._declaration.to == "request" else np.hstack([times[:, 1:], now])
        gaps = np.log1p(np.where(real, np.maximum(later - times, 0), 0).astype(np.float64))
        return gaps.astype(np.float32)
