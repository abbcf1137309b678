"""`kind: sequence`: the items of the user's newest events."""

from typing import final

from reclife.config.attributes import CategoryFeature
from reclife.config.sequences import SequenceFeature
from reclife.contracts import ITEM, PADDING_ID, Feature
from reclife.transforms.kernels.arrays import Ints, column
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.history import History
from reclife.transforms.listing import Listing
from reclife.transforms.state import FeatureState


@final
class Sequence(Listing):
    """Ids of the newest L strictly earlier items, oldest first, padded in front."""

    def __init__(
        self, declaration: SequenceFeature, target: CategoryFeature, state: FeatureState
    ) -> None:
        super().__init__(declaration)
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

    def values(self, frame: Frame, history: History) -> Ints:
        """Return the ids, [M, L]."""
        ids = frame.sorted_events(self._state.encode(self._table, column(frame.events, ITEM)))
        return history.newest(ids, PADDING_ID, self._declaration.length)
