"""`kind: category_sequence`: a category of the user's newest events."""

from collections.abc import Mapping
from typing import final

import pyarrow as pa

from reclife.config.sequences import CategorySequenceFeature
from reclife.contracts import PADDING_ID, Feature
from reclife.transforms.arrays import column, lists
from reclife.transforms.base import Transform, attached
from reclife.transforms.frame import Frame
from reclife.transforms.history import newest
from reclife.transforms.state import FeatureState


@final
class CategorySequence(Transform):
    """Ids of a category of the newest L strictly earlier events, oldest first, padded in front."""

    side = "user"

    def __init__(self, declaration: CategorySequenceFeature, state: FeatureState) -> None:
        self._declaration = declaration
        self._table = declaration.table or declaration.name
        self._state = state
        self.event_attributes = frozenset({(declaration.source, declaration.column)})

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
        declaration = self._declaration
        values = column(frame.events, attached(declaration.source, declaration.column))
        ids = frame.sorted_events(self._state.encode(self._table, values))
        return {declaration.name: lists(newest(frame, ids, PADDING_ID, declaration.length))}
