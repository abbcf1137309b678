"""`kind: unknown`: whether nothing has been seen of a key before the event."""

from collections.abc import Mapping
from typing import final

import pyarrow as pa

from reclife.config.as_of import UnknownFeature
from reclife.contracts import Feature
from reclife.transforms.base import Transform
from reclife.transforms.kernels.arrays import number_column
from reclife.transforms.kernels.frame import Frame


@final
class Unknown(Transform):
    """1 without a strictly earlier event, else 0."""

    def __init__(self, declaration: UnknownFeature) -> None:
        self._declaration = declaration
        self.side = declaration.by

    def features(self) -> tuple[Feature, ...]:
        """Return one float32 scalar."""
        role = self._declaration.by
        name = self._declaration.name
        return (Feature(name=name, role=role, kind="numeric", dtype="float32"),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the flags, [M]."""
        flags = frame.spans.start == frame.spans.stop
        return {self._declaration.name: number_column(frame.spread(flags))}
