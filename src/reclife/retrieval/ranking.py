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

    Equal scores are ordered by column, so the result depends on nothing else. Score and column
    are packed into one sortable 64-bit key, which makes all keys distinct.
    """
    k = min(k, scores.shape[1])
    bits = (scores.astype(np.float32) + np.float32(0.0)).view(np.uint32)  # + 0: -0 equals 0
    flip = np.where(bits >> 31, np.uint32(0xFFFFFFFF), np.uint32(0x80000000))
    columns = np.arange(scores.shape[1], dtype=np.uint64)
    keys = ((bits ^ flip).astype(np.uint64) << np.uint64(32)) | (np.uint64(0xFFFFFFFF) - columns)
    best = np.partition(keys, keys.shape[1] - k, axis=1)[:, keys.shape[1] - k :]
    best.sort(axis=1)
    return (np.uint64(0xFFFFFFFF) - (best[:, ::-1] & np.uint64(0xFFFFFFFF))).astype(np.int64)
