"""`kind: recent_mean`: a mean in which the newest events weigh most."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.as_of import RecentMeanFeature
from reclife.contracts import Feature
from reclife.transforms.base import Transform
from reclife.transforms.kernels.arrays import floats, number_column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.state import FeatureState


@final
class RecentMean(Transform):
    """(sum_j w_j v_j + k prior) / (sum_j w_j + k) with w_j = 2^(-j / half_life).

    j = 0 is the newest of the strictly earlier events and j runs over the `newest` ones. The sum is
    taken in the order of j, so it does not depend on how the data is partitioned.
    """

    def __init__(self, declaration: RecentMeanFeature, state: FeatureState) -> None:
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
        """Return the weighted means, [M]."""
        declaration = self._declaration
        values = frame.sorted_events(floats(frame.events, declaration.value))
        start, stop = frame.spans
        total = np.full(len(start), declaration.strength * self._prior)
        weight = np.full(len(start), declaration.strength)
        for rank in range(declaration.newest):
            rows = np.flatnonzero(stop - rank > start)
            if rows.size == 0:
                break
            newest = values[stop[rows] - 1 - rank]
            share = np.where(np.isnan(newest), 0.0, 2.0 ** (-rank / declaration.half_life))
            total[rows] += share * np.where(np.isnan(newest), 0.0, newest)
            weight[rows] += share
        return {declaration.name: number_column(frame.spread(total / weight))}
