"""`kind: gap_sequence`: the time that lies between the user's newest events."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.sequences import GapSequenceFeature
from reclife.contracts import Feature
from reclife.transforms.arrays import lists
from reclife.transforms.base import Transform
from reclife.transforms.frame import Frame
from reclife.transforms.history import newest

_NONE = -(2**62)
"""Stands for no event; its distance to any second is no overflow."""


@final
class GapSequence(Transform):
    """log(1 + seconds) from each of the newest L events to the next, or to the request.

    Where events became visible in another order than they happened, a gap counts as 0.
    """

    side = "user"

    def __init__(self, declaration: GapSequenceFeature) -> None:
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

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the logs of the gaps, [M, L]."""
        sorted_times = frame.sorted_events(frame.event_times)
        times = newest(frame, sorted_times, _NONE, self._declaration.length)
        real = times != _NONE
        now = frame.times[:, None]
        later = now if self._declaration.to == "request" else np.hstack([times[:, 1:], now])
        gaps = np.log1p(np.where(real, np.maximum(later - times, 0), 0).astype(np.float64))
        return {self._declaration.name: lists(gaps.astype(np.float32))}
