"""`kind: category`: a value becomes its id in a vocabulary."""

from collections.abc import Mapping
from typing import final

import pyarrow as pa

from reclife.config.attributes import CategoryFeature
from reclife.contracts import Feature
from reclife.transforms.base import Transform, attached, category_of, role_of
from reclife.transforms.kernels.arrays import column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.state import FeatureState


@final
class Category(Transform):
    """Ids of one column, 1 for null and, without buckets, for values outside the vocabulary."""

    def __init__(self, declaration: CategoryFeature, state: FeatureState) -> None:
        self._declaration = declaration
        self._state = state
        self._table = declaration.table or declaration.name
        self.request_attributes = frozenset({(declaration.source, declaration.column)})

    def features(self) -> tuple[Feature, ...]:
        """Return one int64 scalar."""
        role = role_of(self._declaration.source)
        return (category_of(self._declaration.name, role, self._table),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the ids, [M]."""
        name = attached(self._declaration.source, self._declaration.column)
        ids = self._state.encode(self._table, column(frame.requests, name))
        return {self._declaration.name: pa.array(ids)}
