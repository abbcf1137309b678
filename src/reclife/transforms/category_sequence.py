"""`kind: category_sequence`: a category of the user's newest events."""

from typing import final

from reclife.config.sequences import CategorySequenceFeature
from reclife.contracts import PADDING_ID, Feature
from reclife.transforms.base import attached
from reclife.transforms.kernels.arrays import Ints, column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.history import History
from reclife.transforms.listing import Listing
from reclife.transforms.state import FeatureState


@final
class CategorySequence(Listing):
    """Ids of a category of the newest L strictly earlier events, oldest first, padded in front."""

    def __init__(self, declaration: CategorySequenceFeature, state: FeatureState) -> None:
        super().__init__(declaration)
        self._declaration = declaration
        self._table = declaration.table or declaration.name
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

    def values(self, frame: Frame, history: History) -> Ints:
        """Return the ids, [M, L]."""
        declaration = self._declaration
        values = column(frame.events, attached(declaration.source, declaration.column))
        ids = frame.sorted_events(self._state.encode(self._table, values))
        return history.newest(ids, PADDING_ID, declaration.length)
