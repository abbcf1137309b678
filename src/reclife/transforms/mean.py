"""`kind: mean`: the smoothed mean of a value over the strictly earlier events of a key."""

from collections.abc import Mapping
from typing import final

import pyarrow as pa

from reclife.config.as_of import MeanFeature
from reclife.contracts import Feature
from reclife.transforms.base import Transform
from reclife.transforms.kernels.arrays import number_column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.state import FeatureState


@final
class Mean(Transform):
    """(sum + k prior) / (n + k), the prior being the mean of the training part."""

    def __init__(self, declaration: MeanFeature, state: FeatureState) -> None:
        self._declaration = declaration
        self._prior = state.prior(declaration.value)
        self.side = declaration.by
        self.event_attributes = frozenset({("interaction", declaration.value)})

    def features(self) -> tuple[Feature, ...]:
        """Return one float32 scalar."""
        role = self._declaration.by
        name = self._declaration.name
        return (Feature(name=name, role=role, kind="numeric", dtype="float32"),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the means, [M]."""
        running = frame.running(self._declaration.value)
        means = running.smoothed(frame.spans, self._prior, self._declaration.strength)
        return {self._declaration.name: number_column(frame.spread(means))}
