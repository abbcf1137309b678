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
    columns = scores.shape[1]
    k = min(k, columns)
    if k == 0 or len(scores) == 0:
        return np.empty((len(scores), k), np.int64)
    return best_columns(scores, np.partition(scores, columns - k, axis=1)[:, columns - k], k)


def best_columns(scores: Floats, bounds: Floats, k: int) -> Ints:
    """Return what `top_k` does, given the k-th best score of each row `[Q]`."""
    row, column = np.nonzero(scores >= bounds[:, None])  # at least k a row, more where tied
    order = np.lexsort((column, -scores[row, column], row))
    first = np.searchsorted(row, np.arange(len(scores)))
    return column[order[first[:, None] + np.arange(k)]]
