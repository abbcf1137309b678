"""`kind: hashed_category`: a value's hash is its id; nothing is fitted."""

from collections.abc import Mapping
from typing import final

import pyarrow as pa

from reclife.config.encodings import HashedCategoryFeature
from reclife.contracts import Feature
from reclife.transforms.base import Transform, attached, category_of, role_of
from reclife.transforms.kernels.arrays import column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.state import FeatureState


@final
class HashedCategory(Transform):
    """2 + hash mod buckets, 1 for null; the hash is that of `arrays.value_hashes`."""

    def __init__(self, declaration: HashedCategoryFeature, state: FeatureState) -> None:
        self._declaration = declaration
        self._state = state
        self.request_attributes = frozenset({(declaration.source, declaration.column)})

    def features(self) -> tuple[Feature, ...]:
        """Return one int64 scalar."""
        declaration = self._declaration
        return (category_of(declaration.name, role_of(declaration.source), declaration.table),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the ids, [M]."""
        name = attached(self._declaration.source, self._declaration.column)
        table = self._declaration.table or self._declaration.name
        ids = self._state.encode(table, column(frame.requests, name))
        return {self._declaration.name: pa.array(ids)}
