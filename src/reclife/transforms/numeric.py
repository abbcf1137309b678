"""`kind: numeric`: a number, its missing values replaced, optionally log1p and standardized."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.attributes import NumericFeature
from reclife.contracts import Feature
from reclife.transforms.arrays import floats, number_column
from reclife.transforms.base import Transform, attached
from reclife.transforms.frame import Frame
from reclife.transforms.state import FeatureState, deviation_of, mean_of


@final
class Numeric(Transform):
    """(log1p(x) - mean) / deviation, each part only where declared."""

    def __init__(self, declaration: NumericFeature, state: FeatureState) -> None:
        self._declaration = declaration
        self._state = state
        self.request_attributes = frozenset({(declaration.source, declaration.column)})

    def features(self) -> tuple[Feature, ...]:
        """Return one float32 scalar."""
        source = self._declaration.source
        role = "context" if source == "interaction" else source
        return (Feature(name=self._declaration.name, role=role, kind="numeric", dtype="float32"),)

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the numbers, [M]."""
        declaration = self._declaration
        values = floats(frame.requests, attached(declaration.source, declaration.column))
        values = np.where(np.isnan(values), declaration.missing, values)
        if declaration.log1p:
            values = np.log1p(np.maximum(values, 0.0))
        if declaration.standardize:
            mean = self._state.statistics[mean_of("feature", declaration.name)]
            deviation = self._state.statistics[deviation_of("feature", declaration.name)]
            values = (values - mean) / deviation
        return {declaration.name: number_column(values)}
