"""What the sequences share: one value for each of the user's newest events."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import pyarrow as pa

from reclife.config.sequences import ListedFeature
from reclife.transforms.base import Side, Transform
from reclife.transforms.kernels.arrays import lists
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.history import History


class Listing(Transform):
    """Abstract: a list per request, padded in front, and how many events did not fit into it.

    The order inside one second is that of the declared ties, then of a hash of the ids.
    """

    side: Side = "user"

    def __init__(self, declaration: ListedFeature) -> None:
        self._listed = declaration
        self.counts = (cut_of(declaration.name),)
        self.event_attributes = frozenset(declaration.reads)

    @abstractmethod
    def values(self, frame: Frame, history: History) -> npt.NDArray[Any]:
        """Return the values, [M, L]."""

    def compute(self, frame: Frame) -> Mapping[str, pa.Array]:
        """Return the lists, [M, L], and the number of events cut off, [M]."""
        history = History.of(frame, self._listed)
        return {
            self._listed.name: lists(self.values(frame, history)),
            self.counts[0]: pa.array(history.cut(self._listed.length)),
        }


def cut_of(name: str) -> str:
    """Return the column of the number of events that a sequence had no room for."""
    return f"_cut_{name}"
