r"""LightGCN: user and item vectors, smoothed over the graph of who met what.

.. math:: E^{(k+1)} = D^{-1/2} A D^{-1/2} E^{(k)} \qquad E = \frac 1 {K + 1} \sum_{k=0}^{K} E^{(k)}
          \qquad s_{ui} = \langle E_u, E_i \rangle + b_i

`A` is the symmetric adjacency `[U + I, U + I]` of the bipartite graph, `D` its degrees, and the
trained :math:`E^{(0)}` is `[U + I, D]`.

Reference: He et al., "LightGCN: Simplifying and Powering Graph Convolution Network for
Recommendation", SIGIR 2020, equations 3, 4 and 8.
"""

from collections.abc import Mapping
from typing import Any, final

import numpy as np
import tensorflow as tf
from scipy import sparse

from reclife.config.neural import LightGCNConfig
from reclife.models.layers.scopes import part_scope
from reclife.models.retrieval.model import RetrievalModel, table

Tensor = Any
Variable = Any


@final
class LightGCN(RetrievalModel):
    """See the module for the equation."""

    def __init__(
        self, users: Variable, items: Variable, matrix: sparse.csr_array, config: LightGCNConfig
    ) -> None:
        super().__init__(items, config.similarity)
        self.users = users
        self.depth = config.layers
        left, right = (_inverse_root(matrix.sum(axis=axis)) for axis in (1, 0))
        scaled = (left @ matrix @ right).tocsr()
        self._to_users, self._to_items = (_constant(m) for m in (scaled, scaled.T.tocsr()))

    def smooth(self) -> tuple[Tensor, Tensor]:
        """Return the smoothed user and item vectors `[U, D]`, `[I, D]`."""
        users, items = tf.convert_to_tensor(self.users), self.table[1:]
        user_sum, item_sum = users, items
        with part_scope("graph_convolution", "smoothed"):
            for _ in range(self.depth):
                users, items = (
                    tf.sparse.sparse_dense_matmul(self._to_users, items),
                    tf.sparse.sparse_dense_matmul(self._to_items, users),
                )
                user_sum, item_sum = user_sum + users, item_sum + items
            return user_sum / (self.depth + 1), item_sum / (self.depth + 1)

    def encode(self, inputs: Mapping[str, Tensor], training: bool) -> Tensor:  # noqa: ARG002
        """Return the smoothed vectors of the users `[B, D]`."""
        return tf.gather(self.smooth()[0], inputs["user"])

    def forward(self, inputs: Mapping[str, Tensor], training: bool) -> tuple[Tensor, Tensor]:  # noqa: ARG002
        """Return the smoothed users `[B, D]` and items `[I, D]`, as the similarity wants them."""
        users, items = self.smooth()
        return self.compared(tf.gather(users, inputs["user"]), items)

    def tables(self) -> dict[str, Variable]:
        """Return the trained tables by name, in a fixed order."""
        return {"users": self.users, "items": self.table}


def _inverse_root(degrees: np.ndarray) -> sparse.dia_array:
    return sparse.diags_array(np.maximum(degrees, 1.0) ** -0.5)


def _constant(matrix: sparse.csr_array) -> Any:
    coordinates = matrix.tocoo()
    places = np.stack([coordinates.row, coordinates.col], axis=1).astype(np.int64)
    return tf.SparseTensor(places, coordinates.data.astype(np.float32), matrix.shape)


def build(config: LightGCNConfig, matrix: sparse.csr_array, seed: int) -> LightGCN:
    """Return the model over the interactions `matrix` `[U, I]`."""
    (users, items), dim = matrix.shape, config.embedding_dim
    return LightGCN(
        table(users, dim, 0.1, seed, "users"),
        table(items + 1, dim, 0.1, seed, "items"),
        matrix,
        config,
    )
