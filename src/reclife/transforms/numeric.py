"""`kind: numeric`: a number, its missing values replaced, on demand clipped, logged and scaled."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.attributes import NumericFeature
from reclife.contracts import Feature
from reclife.transforms.base import Transform, attached, role_of
from reclife.transforms.kernels.arrays import Floats, floats, number_column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.state import (
    FeatureState,
    deviation_of,
    maximum_of,
    mean_of,
    minimum_of,
)


@final
class Numeric(Transform):
    """Imputed, clipped, log1p, scaled: each step only where declared, in this order."""

    def __init__(self, declaration: NumericFeature, state: FeatureState) -> None:
        self._declaration = declaration
        self._state = state
        self.request_attributes = frozenset({(declaration.source, declaration.column)})

    def features(self) -> tuple[Feature, ...]:
        """Return one float32 scalar, or two with the indicator."""
        role = role_of(self._declaration.source)
        return tuple(
            Feature(name=name, role=role, kind="numeric", dtype="float32")
            for name in self._declaration.outputs
        )

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the numbers and, where declared, whether they were missing, [M] each."""
        declaration = self._declaration
        values = floats(frame.requests, attached(declaration.source, declaration.column))
        absent = ~np.isfinite(values)
        values = np.where(absent, self._imputed(), values)
        if declaration.clip:
            values = np.clip(values, declaration.clip.minimum, declaration.clip.maximum)
        columns = (self._scaled(values), absent)  # as many as `outputs` names
        return dict(zip(declaration.outputs, map(number_column, columns), strict=False))

    def _imputed(self) -> float:
        declared = self._declaration.missing
        if declared == "mean":
            return self._state.statistics[mean_of("present", self._declaration.name)]
        return float(declared)

    def _scaled(self, values: Floats) -> Floats:
        declaration, statistics = self._declaration, self._state.statistics
        if declaration.min_max:
            ends = (minimum_of, maximum_of)
            fitted = np.array([statistics[end("feature", declaration.name)] for end in ends])
            low, high = self._logged(fitted)
            width = high - low
            scaled = (self._logged(values) - low) / (width if width > 0 else 1.0)
            return np.clip(scaled, 0.0, 1.0) if width > 0 else np.zeros_like(values)
        values = self._logged(values)
        if declaration.standardize:
            mean = statistics[mean_of("feature", declaration.name)]
            values = (values - mean) / statistics[deviation_of("feature", declaration.name)]
        return values

    def _logged(self, values: Floats) -> Floats:
        return np.log1p(np.maximum(values, 0.0)) if self._declaration.log1p else values
