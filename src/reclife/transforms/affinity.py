"""`kind: affinity`: how the user has valued the categories of the item."""

from collections.abc import Mapping
from typing import final

import numpy as np
import pyarrow as pa

from reclife.config.as_of import AffinityFeature
from reclife.config.attributes import CategoryFeature, MultiCategoryFeature
from reclife.contracts import FIRST_ID, Feature
from reclife.transforms.base import Transform, attached
from reclife.transforms.kernels.arrays import Floats, Ints, column, floats, number_column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.timeline import Running, Timeline
from reclife.transforms.multi_category import encode_parts
from reclife.transforms.state import FeatureState


@final
class Affinity(Transform):
    """Mean and largest, over the item's categories c, of the user's smoothed mean in c.

    In c: (sum + k m) / (n + k) over the user's strictly earlier events in c, where m is the user's
    own smoothed mean over all categories, with the same k and the training mean as its prior. An
    item without categories, or with unknown ones only, gets m. An item of a single category has the
    same value twice.
    """

    side = "user"

    def __init__(
        self,
        declaration: AffinityFeature,
        target: CategoryFeature | MultiCategoryFeature,
        state: FeatureState,
    ) -> None:
        self._declaration = declaration
        self._target = target
        self._state = state
        attribute = ("item", target.column)
        self.request_attributes = frozenset({attribute})
        self.event_attributes = frozenset({attribute, ("interaction", declaration.value)})

    def features(self) -> tuple[Feature, ...]:
        """Return two float32 scalars."""
        names = (f"{self._declaration.name}_mean", f"{self._declaration.name}_max")
        return tuple(
            Feature(name=name, role="context", kind="numeric", dtype="float32") for name in names
        )

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return mean and maximum, [M] each."""
        strength = self._declaration.strength
        overall = frame.spread(
            frame.running(self._declaration.value).smoothed(
                frame.spans, self._state.prior(self._declaration.value), strength
            )
        )
        timeline, running = self._by_category(frame)
        total, count = np.zeros(len(overall)), np.zeros(len(overall))
        largest = np.full(len(overall), -np.inf)
        categories = self._categories(frame.requests)
        for position in range(categories.shape[1]):
            rows = np.flatnonzero(categories[:, position] >= FIRST_ID)
            codes = self._pairs(frame.request_codes[rows], categories[rows, position])
            span = timeline.before(codes, frame.times[rows])
            rate = running.smoothed(span, overall[rows], strength)
            total[rows] += rate
            count[rows] += 1
            largest[rows] = np.maximum(largest[rows], rate)
        known = count > 0
        mean = np.where(known, total / np.maximum(count, 1), overall)
        return {
            f"{self._declaration.name}_mean": number_column(mean),
            f"{self._declaration.name}_max": number_column(np.where(known, largest, overall)),
        }

    def _by_category(self, frame: Frame) -> tuple[Timeline, Running]:
        """Return the events once per category, keyed by (user, category)."""
        categories = self._categories(frame.events)
        event, position = np.nonzero(categories >= FIRST_ID)
        codes = self._pairs(frame.event_codes[event], categories[event, position])
        timeline = Timeline(codes, frame.visible[event])
        values: Floats = floats(frame.events, self._declaration.value)[event]
        return timeline, Running(values[timeline.order])

    def _categories(self, table: pa.Table) -> Ints:
        """Return the ids of each row's categories, [M, L]; L is 1 for a single category."""
        values = column(table, attached("item", self._target.column))
        if self._target.kind == "category":
            name = self._target.table or self._target.name
            return self._state.encode(name, values)[:, np.newaxis]
        return encode_parts(values, self._target, self._state)

    def _pairs(self, users: Ints, categories: Ints) -> Ints:
        size = self._state.table_size(self._target.table or self._target.name)
        return np.where(users < 0, -1, users * size + categories)
