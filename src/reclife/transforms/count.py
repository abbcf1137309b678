"""`kind: count`: log(1 + n) over the strictly earlier events of a key."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.as_of import CountFeature
from reclife.contracts import Feature
from reclife.transforms.base import Transform
from reclife.transforms.kernels.arrays import number_column
from reclife.transforms.kernels.frame import Frame


@final
class Count(Transform):
    """log(1 + n)."""

    def __init__(self, declaration: CountFeature) -> None:
        self._declaration = declaration
        self.side = declaration.by

    def features(self) -> tuple[Feature, ...]:
        """Return one float32 scalar."""
        role = self._declaration.by
        name = self._declaration.name
        return (Feature(name=name, role=role, kind="numeric", dtype="float32"),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the log counts, [M]."""
        counts = np.log1p((frame.spans.stop - frame.spans.start).astype(np.float64))
        return {self._declaration.name: number_column(frame.spread(counts))}
