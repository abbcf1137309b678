"""EASE: a linear item-to-item model in closed form.

Steck, "Embarrassingly Shallow Autoencoders for Sparse Data", WWW 2019: with the binary matrix
X `[U, I]` and `P = (X'X + l2 I)^-1`, the weights are `B_ij = -P_ij / P_jj`, `B_jj = 0`.
"""

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse

from reclife.config.retrieval import EaseConfig
from reclife.errors import DataError
from reclife.retrieval.interactions import Floats, Interactions
from reclife.retrieval.pruning import pruned
from reclife.retrieval.retriever import Neighbours

Doubles = npt.NDArray[np.float64]


def fit(interactions: Interactions, config: EaseConfig) -> Neighbours:
    """Solve for the weights and keep the largest of each item.

    Raises:
        DataError: The dense matrix would be larger than declared.
    """
    matrix = interactions.matrix
    users, items = matrix.shape
    if min(users, items) * items > config.max_dense**2:
        raise DataError(
            f"EASE over {users} users and {items} items needs a dense matrix larger than "
            f"max_dense = {config.max_dense} squared: raise it, or declare kind: item_knn."
        )
    dual = users < items
    factor = _dual_factor(matrix, config.l2) if dual else _primal_factor(matrix, config.l2)
    squares = np.square(factor).sum(axis=0)
    scale = (1.0 / (1.0 - squares) if dual else -1.0 / squares).astype(np.float32)
    factor32 = factor.astype(np.float32)

    def columns(part: slice) -> Floats:
        return (factor32[:, part].T @ factor32) * scale[part, None]

    return Neighbours(interactions.index, pruned(items, columns, config.neighbours), config.decay)


def _primal_factor(matrix: sparse.csr_array, l2: float) -> Doubles:
    """Return F `[I, I]` with `P = F'F`."""
    gram = (matrix.T @ matrix).toarray().astype(np.float64)
    gram[np.diag_indices_from(gram)] += l2
    lower = linalg.cholesky(gram, lower=True, overwrite_a=True)
    return linalg.solve_triangular(lower, np.eye(len(lower)), lower=True, overwrite_b=True)


def _dual_factor(matrix: sparse.csr_array, l2: float) -> Doubles:
    """Return F `[U, I]` with `l2 P = I - F'F` (Woodbury): cheaper where users are fewer."""
    gram = (matrix @ matrix.T).toarray().astype(np.float64)
    gram[np.diag_indices_from(gram)] += l2
    lower = linalg.cholesky(gram, lower=True, overwrite_a=True)
    dense = matrix.toarray().astype(np.float64)
    return linalg.solve_triangular(lower, dense, lower=True, overwrite_b=True)
