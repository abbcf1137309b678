"""`kind: sequence`: the items of the user's newest events."""

from collections.abc import Mapping
from typing import final

import pyarrow as pa

from reclife.config.as_of import SequenceFeature
from reclife.config.attributes import CategoryFeature
from reclife.contracts import ITEM, PADDING_ID, Feature
from reclife.transforms.arrays import column, lists
from reclife.transforms.base import Transform
from reclife.transforms.frame import Frame
from reclife.transforms.history import newest
from reclife.transforms.state import FeatureState


@final
class Sequence(Transform):
    """Ids of the newest L strictly earlier items, oldest first, padded in front.

    The order inside one second is that of the declared ties, then of a hash of the ids.
    """

    side = "user"

    def __init__(
        self, declaration: SequenceFeature, target: CategoryFeature, state: FeatureState
    ) -> None:
        self._declaration = declaration
        self._table = target.table or target.name
        self._state = state

    def features(self) -> tuple[Feature, ...]:
        """Return one list of int64."""
        return (
            Feature(
                name=self._declaration.name,
                role="user",
                kind="sequence",
                dtype="int64",
                shape=(self._declaration.length,),
                table=self._table,
            ),
        )

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the ids, [M, L]."""
        ids = frame.sorted_events(self._state.encode(self._table, column(frame.events, ITEM)))
        name, length = self._declaration.name, self._declaration.length
        return {name: lists(newest(frame, ids, PADDING_ID, length))}
