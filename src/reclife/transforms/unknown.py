"""`kind: unknown`: whether a value is outside its vocabulary."""

from collections.abc import Mapping
from typing import final

import pyarrow as pa

from reclife.config.features import CategoryFeature, UnknownFeature
from reclife.contracts import OOV_ID, Feature
from reclife.transforms.arrays import column, number_column
from reclife.transforms.base import Transform, attached
from reclife.transforms.frame import Frame
from reclife.transforms.state import FeatureState


@final
class Unknown(Transform):
    """1 for null and for values outside the vocabulary, else 0."""

    def __init__(
        self, declaration: UnknownFeature, target: CategoryFeature, state: FeatureState
    ) -> None:
        self._name = declaration.name
        self._target = target
        self._state = state
        self.request_attributes = frozenset({(target.source, target.column)})

    def features(self) -> tuple[Feature, ...]:
        """Return one float32 scalar."""
        role = "context" if self._target.source == "interaction" else self._target.source
        return (Feature(name=self._name, role=role, kind="numeric", dtype="float32"),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the flags, [M]."""
        values = column(frame.requests, attached(self._target.source, self._target.column))
        ids = self._state.encode(self._target.table or self._target.name, values)
        return {self._name: number_column(ids == OOV_ID)}
