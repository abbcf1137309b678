"""Retrievers that score by an inner product: a vector of the query against one of each item."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, final

import numpy as np

from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Floats, ItemIndex
from reclife.retrieval.retriever import Retriever

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

BATCH = 1024
"""Histories encoded at a time."""


class Encoder(ABC):
    """Gives the vectors of queries."""

    @abstractmethod
    def encode(self, histories: Histories) -> Floats:
        """Return `[Q, D]`; a row of zeros where nothing is known of the query."""


@final
class UserTable(Encoder):
    """One vector for each user of the training data.

    Any other user is the mean of the item vectors of its history.
    """

    def __init__(self, users: ItemIndex, vectors: Floats, items: Floats) -> None:
        self.users = users
        self.vectors = vectors
        self.items = items

    def encode(self, histories: Histories) -> Floats:
        """Return the users' rows, or the means."""
        sums = histories.weights(1.0, len(self.items)) @ self.items
        found = sums / np.maximum(np.diff(histories.offsets), 1)[:, None].astype(np.float32)
        if histories.users is not None:
            numbers = self.users.columns(histories.users)
            found[numbers >= 0] = self.vectors[numbers[numbers >= 0]]
        return found


@final
class Graph(Encoder):
    """An ONNX graph from the newest items of a history to a vector.

    Args:
        content: The graph: `history` `[B, T]` of ids `column + 1`, 0 on the left as padding, to
            `query` `[B, D]`.
        length: Newest items that are read.
    """

    def __init__(self, content: bytes, length: int) -> None:
        self.content = content
        self.length = length
        self._session: InferenceSession | None = None

    def encode(self, histories: Histories) -> Floats:
        """Run the graph."""
        session = self._open()
        parts = []
        for start in range(0, len(histories), BATCH):
            some = histories.part(start, min(start + BATCH, len(histories)))
            vectors = session.run(["query"], {"history": some.padded(self.length)})[0]
            vectors[np.diff(some.offsets) == 0] = 0.0
            parts.append(vectors)
        return np.concatenate(parts)

    def _open(self) -> "InferenceSession":
        if self._session is None:
            import onnxruntime as ort

            options = ort.SessionOptions()
            options.intra_op_num_threads = 1
            options.inter_op_num_threads = 1
            self._session = ort.InferenceSession(
                self.content, options, providers=["CPUExecutionProvider"]
            )
        return self._session


@final
class Vectors(Retriever):
    """Scores `<q, v_i> + b_i`."""

    def __init__(self, index: ItemIndex, encoder: Encoder, items: Floats, bias: Floats) -> None:
        super().__init__(index)
        self.encoder = encoder
        self.items = items
        self.bias = bias

    def scores(self, histories: Histories) -> Floats:
        """Return the scores, all 0 where nothing is known of the query."""
        queries = self.encoder.encode(histories)
        known = queries.any(axis=1)
        scores = queries @ self.items.T
        scores[known] += self.bias
        return scores
