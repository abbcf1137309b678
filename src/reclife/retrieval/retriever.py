"""What a fitted retriever can do."""

from abc import ABC, abstractmethod
from typing import final

import numpy as np
from scipy import sparse

from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Floats, ItemIndex


class Retriever(ABC):
    """Scores every known item for a query's history; higher is better."""

    def __init__(self, index: ItemIndex) -> None:
        self.index = index

    @abstractmethod
    def scores(self, histories: Histories) -> Floats:
        """Return `[Q, I]` scores in the order of `index`, seen items included."""


@final
class FixedOrder(Retriever):
    """The same scores for everyone."""

    def __init__(self, index: ItemIndex, values: Floats) -> None:
        super().__init__(index)
        self.values = values

    def scores(self, histories: Histories) -> Floats:
        """Return the fixed scores `[I]`, once per query."""
        return np.tile(self.values, (len(histories), 1))


@final
class Neighbours(Retriever):
    """Sums item-to-item weights over the history: `(decay ** age) W`, W sparse `[I, I]`."""

    def __init__(self, index: ItemIndex, weights: sparse.csr_array, decay: float) -> None:
        super().__init__(index)
        self.weights = weights
        self.decay = decay

    def scores(self, histories: Histories) -> Floats:
        """Return the summed weights, 0 where no history item has the item as a neighbour."""
        product = histories.weights(self.decay, len(self.index)) @ self.weights
        return product.toarray().astype(np.float32, copy=False)
