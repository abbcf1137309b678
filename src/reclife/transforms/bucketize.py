"""`kind: bucketize`: a number becomes the id of the bucket that it lies in."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.encodings import Boundaries, BucketizeFeature, LogScale
from reclife.contracts import FIRST_ID, OOV_ID, Feature
from reclife.transforms.base import Transform, attached, category_of, role_of
from reclife.transforms.kernels.arrays import Floats, floats
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.state import FeatureState


@final
class Bucketize(Transform):
    """2 + the number of boundaries b <= x, 1 for a missing x."""

    def __init__(self, declaration: BucketizeFeature, state: FeatureState) -> None:
        self._declaration = declaration
        lower_ends = state.vocabularies[declaration.name].to_numpy(zero_copy_only=False)
        self._boundaries: Floats = lower_ends[1:]
        self.request_attributes = frozenset({(declaration.source, declaration.column)})

    def features(self) -> tuple[Feature, ...]:
        """Return one int64 scalar."""
        return (category_of(self._declaration.name, role_of(self._declaration.source)),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the ids, [M]."""
        name = attached(self._declaration.source, self._declaration.column)
        values = floats(frame.requests, name)
        ids = np.searchsorted(self._boundaries, values, side="right") + FIRST_ID
        return {self._declaration.name: pa.array(np.where(np.isnan(values), OOV_ID, ids))}


def declared_boundaries(cut: Boundaries | LogScale) -> list[float]:
    """Return the boundaries that need no data."""
    if cut.kind == "boundaries":
        return list(cut.values)
    return [float(cut.base**power) for power in range(cut.count - 1)]


def as_vocabulary(boundaries: list[float]) -> pa.Array:
    """Return the lower end of each bucket."""
    return pa.array([-np.inf, *sorted(set(boundaries))], pa.float64())
