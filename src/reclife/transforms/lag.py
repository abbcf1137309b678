"""`kind: lag`: a value of the k-th newest earlier event of a key."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.windows import LagFeature
from reclife.contracts import Feature
from reclife.transforms.base import Transform
from reclife.transforms.kernels.arrays import floats, number_column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.looking import numeric_of, seen_by, side_of


@final
class Lag(Transform):
    """The value of the event `back` places before the request in the order of the timeline."""

    def __init__(self, declaration: LagFeature) -> None:
        self._declaration = declaration
        self.side = side_of(declaration.by)
        self.event_attributes = frozenset({("interaction", declaration.value)})

    def features(self) -> tuple[Feature, ...]:
        """Return one float32 scalar."""
        return (numeric_of(self._declaration.name, self._declaration.by),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the values, [M]."""
        name, back = self._declaration.value, self._declaration.back
        seen = seen_by(frame, self._declaration.by)
        values = seen.prepared(name, lambda: floats(seen.events, name))
        start, stop = seen.spans
        found = np.full(len(stop), np.nan)
        rows = np.flatnonzero(stop - start >= back)
        found[rows] = values[stop[rows] - back]
        found = np.where(np.isnan(found), self._declaration.missing, found)
        return {self._declaration.name: number_column(seen.spread(found))}
