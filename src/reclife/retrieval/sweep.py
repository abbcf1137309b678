r"""The inverse of a large symmetric matrix, in place, by products of matrices alone.

With the pivot block K and the others O, a sweep over K replaces

.. math:: A_{KK} \to -A_{KK}^{-1} \qquad A_{OK} \to A_{OK} A_{KK}^{-1} \qquad
          A_{OO} \to A_{OO} - A_{OK} A_{KK}^{-1} A_{KO}

and after a sweep over every block the matrix is :math:`-A^{-1}` (Goodnight, "A Tutorial on the
SWEEP Operator", The American Statistician 33, 1979). The `N^3` operations are those of LAPACK's
`potrf` and `potri`, with which scipy 1.17 ends the process by a fault at 41,000 rows.
"""

from collections.abc import Iterator
from typing import final

import numpy as np
from scipy.linalg import lapack

from reclife.retrieval.interactions import Floats
from reclife.runtime.progress import track

_WIDTH = 1024
"""Rows of a block: products of this width run at the full speed of the processor."""


@final
class NotPositive(ArithmeticError):
    """In float32 the matrix is not positive definite."""


def negative_inverse(matrix: Floats) -> None:
    """Replace the lower triangle of `matrix` `[N, N]` by that of the inverse, negated.

    Only the lower triangle is read; the upper one is left undefined.

    Raises:
        NotPositive: The matrix is not positive definite.
    """
    for own in track(list(_blocks(len(matrix))), f"Inverting {len(matrix):,} rows, by blocks"):
        _sweep(matrix, own)


def _sweep(matrix: Floats, own: slice) -> None:
    pivot = _inverse(matrix[own, own])
    column = np.concatenate([matrix[own, : own.stop].T, matrix[own.stop :, own]])
    column[own] = 0.0
    moved = column @ pivot
    for other in _blocks(len(matrix)):
        matrix[other, : other.stop] -= moved[other] @ column[: other.stop].T
    matrix[own, : own.start] = moved[: own.start].T
    matrix[own.stop :, own] = moved[own.stop :]
    matrix[own, own] = -pivot


def _inverse(block: Floats) -> Floats:
    """Return the inverse of a small block whose lower triangle is there."""
    factor, failed = lapack.spotrf(block, lower=1)
    if failed:
        raise NotPositive
    lower, _ = lapack.spotri(factor, lower=1)
    lower = np.tril(lower)
    whole: Floats = lower + np.tril(lower, -1).T
    return whole


def _blocks(rows: int) -> Iterator[slice]:
    for start in range(0, rows, _WIDTH):
        yield slice(start, min(start + _WIDTH, rows))
