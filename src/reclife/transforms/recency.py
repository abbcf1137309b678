"""`kind: recency`: how long ago the newest earlier event of a key was."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.windows import RecencyFeature
from reclife.contracts import Feature
from reclife.transforms.base import Transform
from reclife.transforms.kernels.arrays import number_column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.looking import numeric_of, seen_by, side_of


@final
class Recency(Transform):
    """t - max t' over the events seen before t, in seconds or log(1 + seconds)."""

    def __init__(self, declaration: RecencyFeature) -> None:
        self._declaration = declaration
        self.side = side_of(declaration.by)

    def features(self) -> tuple[Feature, ...]:
        """Return one float32 scalar."""
        return (numeric_of(self._declaration.name, self._declaration.by),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the ages, [M]."""
        seen = seen_by(frame, self._declaration.by)
        start, stop = seen.spans
        age = np.full(len(stop), self._declaration.missing)
        rows = np.flatnonzero(stop > start)
        seconds = (seen.moments[rows] - seen.newest[stop[rows] - 1]).astype(np.float64)
        age[rows] = np.log1p(seconds) if self._declaration.log1p else seconds
        return {self._declaration.name: number_column(seen.spread(age))}
