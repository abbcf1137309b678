"""95 % intervals by bootstrap over users (percentile method, Efron & Tibshirani 1993, ch. 13).

Events of one user hang together, so users are resampled, never events. All metrics of a run share
the same resamples: the difference of two metrics then has a paired interval.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.float64]
Draws = npt.NDArray[np.floating]

CHUNK_CELLS = 1 << 22


@final
@dataclass(frozen=True)
class Interval:
    """Bounds of a 95 % interval; None where no resample gives a value."""

    low: float | None
    high: float | None


def resample(users: int, resamples: int, seed: int) -> Counts:
    """Return `[R, U]`: how often each user is drawn in each resample of U users."""
    chances = np.full(users, 1.0 / users)
    return np.random.default_rng(seed).multinomial(users, chances, size=resamples).astype(float)


def interval(draws: Draws) -> Interval:
    """Return the 2.5 and 97.5 percentiles of the resampled values, NaN left out."""
    known = draws[np.isfinite(draws)]
    if not len(known):
        return Interval(None, None)
    low, high = np.percentile(known, [2.5, 97.5])
    return Interval(float(low), float(high))


def resampled_auc(
    labels: npt.NDArray[np.floating],
    scores: npt.NDArray[np.floating],
    users: npt.NDArray[np.integer],
    counts: Counts,
) -> Draws:
    """Return the AUC of each resample `[R]`, ties counting half.

    The scores are sorted once; a resample only reweighs the events: with the weight w of an event
    its user's count, AUC = sum over positives of w (negative weight below + half of the tied)
    / (positive weight x negative weight).
    """
    order = np.argsort(scores, kind="stable")
    sorted_scores, sorted_users = scores[order], users[order]
    starts = np.flatnonzero(np.r_[True, sorted_scores[1:] != sorted_scores[:-1]])
    positive = labels[order] > 0
    step = max(1, CHUNK_CELLS // max(1, len(order)))
    parts = []
    for at in range(0, len(counts), step):
        weights = counts[at : at + step][:, sorted_users]
        ones = np.add.reduceat(weights * positive, starts, axis=1)
        zeros = np.add.reduceat(weights * ~positive, starts, axis=1)
        below = np.cumsum(zeros, axis=1) - zeros / 2
        pairs = ones.sum(axis=1) * zeros.sum(axis=1)
        parts.append((ones * below).sum(axis=1) / np.where(pairs, pairs, np.nan))
    return np.concatenate(parts)
