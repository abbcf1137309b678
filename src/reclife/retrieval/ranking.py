"""The seen-item policy and top-K, deterministic under ties."""

import numpy as np

from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Floats, Ints


def mask_seen(scores: Floats, histories: Histories) -> None:
    """Set the score of every item in a query's history to minus infinity, in place.

    Args:
        scores: `[Q, I]`.
        histories: The Q histories.
    """
    scores[histories.rows, histories.columns] = -np.inf


def top_k(scores: Floats, k: int) -> Ints:
    """Return the columns of the k best scores of each row, best first `[Q, min(k, I)]`.

    Equal scores are ordered by column, so the result depends on nothing else.
    """
    rows, columns = scores.shape
    k = min(k, columns)
    if k == 0 or rows == 0:
        return np.empty((rows, k), np.int64)
    bound = np.partition(scores, columns - k, axis=1)[:, columns - k]
    row, column = np.nonzero(scores >= bound[:, None])  # at least k a row, more where tied
    order = np.lexsort((column, -scores[row, column], row))
    first = np.searchsorted(row, np.arange(rows))
    return column[order[first[:, None] + np.arange(k)]]
