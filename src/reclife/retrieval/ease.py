"""EASE: a linear item-to-item model in closed form.

Steck, "Embarrassingly Shallow Autoencoders for Sparse Data", WWW 2019: with the binary matrix
X `[U, I]` and `P = (X'X + l2 I)^-1`, the weights are `B_ij = -P_ij / P_jj`, `B_jj = 0`.

All is done in float32 and in place: at its peak one matrix `[I, I]` is held; where users are few,
`[U, U]` and `[U, I]` instead.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.linalg import blas, lapack

from reclife.config.retrieval import EaseConfig
from reclife.errors import DataError
from reclife.retrieval.interactions import Floats, Interactions
from reclife.retrieval.pruning import pruned
from reclife.retrieval.retriever import Neighbours

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
    """Invert `X'X + l2 I`: of the symmetric inverse the lower triangle is there."""
    inverse, _ = lapack.spotri(_factor(matrix.T @ matrix, l2), lower=1, overwrite_c=1)
    scale = -1.0 / inverse.diagonal()

    def columns(part: slice) -> Floats:
        own = np.tril(inverse[part, part])
        left, right = inverse[part, : part.start], inverse[part.stop :, part].T
        rows = np.concatenate([left, own + np.tril(own, -1).T, right], axis=1)
        rows *= scale[part, None]
        return rows

    return columns


def _dual(matrix: sparse.csr_array, l2: float) -> Columns:
    """Find F `[U, I]` with `l2 P = I - F'F` (Woodbury)."""
    lower = _factor(matrix @ matrix.T, l2)
    solved = blas.strsm(1.0, lower, matrix.toarray(order="F"), lower=1, overwrite_b=1)
    scale = 1.0 / (1.0 - np.square(solved).sum(axis=0))

    def columns(part: slice) -> Floats:
        rows: Floats = (solved[:, part].T @ solved) * scale[part, None]
        return rows

    return columns


def _factor(gram: sparse.csr_array, l2: float) -> Floats:
    """Return L, lower and in Fortran's order, with `gram + l2 I = LL'`."""
    dense = gram.toarray(order="F")
    dense[np.diag_indices_from(dense)] += np.float32(l2)
    lower, failed = lapack.spotrf(dense, lower=1, clean=0, overwrite_a=1)
    if failed:
        raise DataError(f"EASE: l2 = {l2:g} is too small for single precision: raise it.")
    factor: Floats = lower
    return factor
