"""EASE: a linear item-to-item model in closed form.

Steck, "Embarrassingly Shallow Autoencoders for Sparse Data", WWW 2019: with the binary matrix
X `[U, I]` and `P = (X'X + l2 I)^-1`, the weights are `B_ij = -P_ij / P_jj`, `B_jj = 0`.

All is done in float32 and in place: at its peak one matrix `[I, I]` is held; where users are few,
`[U, U]` and `[U, I]` instead.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from reclife.config.retrieval import EaseConfig
from reclife.errors import DataError
from reclife.retrieval.interactions import Floats, Interactions
from reclife.retrieval.pruning import blocks, pruned
from reclife.retrieval.retriever import Neighbours
from reclife.retrieval.sweep import NotPositive, negative_inverse

Columns = Callable[[slice], Floats]
"""Returns the weights of the items of a slice, transposed: `[items of the slice, I]`."""


def fit(interactions: Interactions, config: EaseConfig) -> Neighbours:
    """Solve for the weights and keep the largest of each item.

    Raises:
        DataError: The dense matrix would be larger than declared, or `l2` is too small.
    """
    matrix = interactions.matrix
    users, items = matrix.shape
    if not config.fits(users, items):
        raise DataError(
            f"EASE over {users} users and {items} items needs a dense matrix larger than "
            f"max_dense = {config.max_dense} squared: raise it, or declare kind: item_knn."
        )
    solve = _dual if config.by_users(users, items) else _primal
    columns = solve(matrix, config.l2)
    return Neighbours(interactions.index, pruned(items, columns, config.neighbours), config.decay)


def _primal(matrix: sparse.csr_array, l2: float) -> Columns:
    """Return the columns of -P over its diagonal."""
    negative = _inverse(matrix.T @ matrix, l2)
    scale = -1.0 / negative.diagonal()

    def columns(part: slice) -> Floats:
        rows = _rows(negative, part)
        rows *= scale[part, None]
        return rows

    return columns


def _dual(matrix: sparse.csr_array, l2: float) -> Columns:
    """Do the same by `l2 P = I - X'(XX' + l2 I)^-1 X` (Woodbury)."""
    negative = _inverse(matrix @ matrix.T, l2)
    users, items = matrix.shape
    solved = np.empty((users, items), np.float32)  # -(XX' + l2 I)^-1 X
    for part in blocks(users, max(users, items)):
        solved[part] = _rows(negative, part) @ matrix
    by_item = matrix.T.tocsr()
    scale = -1.0 / (1.0 + np.asarray(matrix.multiply(solved).sum(axis=0)))

    def columns(part: slice) -> Floats:
        rows: Floats = (by_item[part] @ solved) * scale[part, None]
        return rows

    return columns


def _inverse(gram: sparse.csr_array, l2: float) -> Floats:
    """Return `-(gram + l2 I)^-1`, its lower triangle."""
    dense = gram.toarray()
    dense[np.diag_indices_from(dense)] += np.float32(l2)
    try:
        negative_inverse(dense)
    except NotPositive as error:
        raise DataError(
            f"EASE: l2 = {l2:g} is too small for single precision: raise it."
        ) from error
    return dense


def _rows(lower: Floats, part: slice) -> Floats:
    """Return whole rows of the symmetric matrix of which the lower triangle is there."""
    own = np.tril(lower[part, part])
    left, right = lower[part, : part.start], lower[part.stop :, part].T
    return np.concatenate([left, own + np.tril(own, -1).T, right], axis=1)
