"""From dense blocks of an item-to-item matrix to a sparse one, within bounded memory."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse

from reclife.retrieval.interactions import Floats

BLOCK_CELLS = 1 << 24
"""Cells of one dense block: 64 MiB of float32."""


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Split `rows` so that a dense block `[rows of the slice, columns]` stays within memory."""
    step = max(1, BLOCK_CELLS // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def pruned(items: int, columns: Callable[[slice], Floats], keep: int) -> sparse.csr_array:
    """Keep the `keep` weights of largest magnitude in each column of an `[items, items]` matrix.

    A column holds what all other items say about one item. Pruning rows instead, what one item
    says about all others, costs far more accuracy at the same size.

    Args:
        items: The number of items, I.
        columns: Returns the dense columns of a slice, transposed: `[columns, I]`.
        keep: Weights kept in a column; the diagonal counts as zero, zeros are not stored.
    """
    parts = []
    for part in blocks(items, items):
        dense = columns(part)
        dense[np.arange(len(dense)), np.arange(part.start, part.stop)] = 0.0
        parts.append(_largest(dense, min(keep, items)))
    return sparse.vstack(parts, format="csr").T.tocsr()


def _largest(dense: Floats, keep: int) -> sparse.csr_array:
    best = np.argpartition(-np.abs(dense), keep - 1, axis=1)[:, :keep]
    best.sort(axis=1)
    offsets = np.arange(len(dense) + 1) * keep
    values = np.take_along_axis(dense, best, axis=1)
    part = sparse.csr_array((values.ravel(), best.ravel(), offsets), shape=dense.shape)
    part.eliminate_zeros()
    return part
