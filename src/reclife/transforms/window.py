"""`kind: window`: counts, sums, means and rates over a window that ends at the event."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.windows import WindowFeature
from reclife.contracts import Feature
from reclife.transforms.base import Transform
from reclife.transforms.kernels.arrays import Bools, Floats, Ints, floats, number_column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.timeline import SCALE, scaled
from reclife.transforms.kernels.where import kept_by
from reclife.transforms.looking import numeric_of, seen_by, side_of


@final
class WindowStatistic(Transform):
    """n, sum v, sum v / n or n_where / n over the events seen in [t - window, t)."""

    def __init__(self, declaration: WindowFeature) -> None:
        self._declaration = declaration
        self.side = side_of(declaration.by)
        self.event_attributes = frozenset(declaration.reads)

    def features(self) -> tuple[Feature, ...]:
        """Return one float32 scalar."""
        return (numeric_of(self._declaration.name, self._declaration.by),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the statistics, [M]."""
        seen = seen_by(frame, self._declaration.by)
        return {self._declaration.name: number_column(seen.spread(self._statistic(seen)))}

    def _statistic(self, frame: Frame) -> Floats:
        declaration = self._declaration
        window = frame.window(declaration.window)
        if declaration.statistic == "count" and declaration.where is None:
            return self._logged(window.count)
        among = kept_by(declaration.where, frame)
        if declaration.statistic == "count":
            return self._logged(window.total(among))
        if declaration.statistic == "rate":
            return self._share(window.total(among), window.count)
        whole, known = self._values(frame)
        total = window.total(whole * among) / SCALE
        if declaration.statistic == "sum":
            return self._logged(total)
        return self._share(total, window.total(known * among))

    def _values(self, frame: Frame) -> tuple[Ints, Bools]:
        name = self._declaration.value or ""
        return scaled(frame.prepared(name, lambda: floats(frame.events, name)))

    def _logged(self, values: Ints | Floats) -> Floats:
        numbers = values.astype(np.float64)
        return np.log1p(np.maximum(numbers, 0.0)) if self._declaration.log1p else numbers

    def _share(self, part: Ints | Floats, whole: Ints) -> Floats:
        return np.where(whole > 0, part / np.maximum(whole, 1), self._declaration.empty)
