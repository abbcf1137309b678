"""How well scores tell likes from dislikes.

Every metric that is a ratio of sums is computed from per-user sums, so that the value and its
bootstrap over users come from the same numbers.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from reclife.metrics.ratio import UserSums, summed

Vector = npt.NDArray[np.floating]
Codes = npt.NDArray[np.integer]

TINY = 1e-7
"""Probabilities are kept this far from 0 and 1: the resolution of float32 near 1."""


def auc(labels: Vector, scores: Vector) -> float:
    """Return the chance that a positive scores above a negative, a tie counting half.

    By ranks, ties at their average (Mann-Whitney); NaN when one class is missing.
    """
    positives = labels > 0
    ones, zeros = int(positives.sum()), int((~positives).sum())
    if not ones or not zeros:
        return float("nan")
    ranks = average_ranks(scores)
    return float((ranks[positives].sum() - ones * (ones + 1) / 2) / (ones * zeros))


def average_ranks(values: Vector) -> npt.NDArray[np.float64]:
    """Return ranks from 1, equal values sharing their average rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


@final
@dataclass(frozen=True)
class GroupedAuc:
    """AUC within each user, weighted by the user's events.

    Attributes:
        sums: Numerator AUC x events, denominator events, 0 for users with one class only.
        left_out: Number of users with one class only.
    """

    sums: UserSums
    left_out: int


def gauc(labels: Vector, scores: Vector, users: Codes, n_users: int) -> GroupedAuc:
    """Return the AUC within users.

    Args:
        labels: `[N]` 0 or 1.
        scores: `[N]` higher is better.
        users: `[N]` user number, 0 .. `n_users` - 1.
        n_users: Number of users.
    """
    positives = (labels > 0).astype(float)
    events = np.bincount(users, minlength=n_users).astype(float)
    ones = summed(positives, users, n_users)
    pairs = ones * (events - ones)
    ranks = _ranks_within(scores, users, events)
    rank_sum = summed(ranks * positives, users, n_users)
    mixed = pairs > 0
    area = (rank_sum - ones * (ones + 1) / 2) / np.where(mixed, pairs, 1.0)
    weight = np.where(mixed, events, 0.0)
    return GroupedAuc(UserSums(area * weight, weight), int(((events > 0) & ~mixed).sum()))


def _ranks_within(scores: Vector, users: Codes, events: Vector) -> Vector:
    """Return each score's average rank among its user's scores, from 1."""
    order = np.lexsort((scores, users))
    by_user, by_score = users[order], scores[order]
    new = np.ones(len(order), bool)
    new[1:] = (by_user[1:] != by_user[:-1]) | (by_score[1:] != by_score[:-1])
    group = np.cumsum(new) - 1
    sizes = np.bincount(group)
    last = np.cumsum(sizes)
    ranks = np.empty(len(order))
    ranks[order] = (last - (sizes - 1) / 2)[group]
    before = np.cumsum(events) - events
    return ranks - before[users]


def logloss_sums(labels: Vector, probabilities: Vector, users: Codes, n_users: int) -> UserSums:
    """Return the summed cross-entropy and the events of each user."""
    losses = _losses(labels, probabilities)
    events = np.bincount(users, minlength=n_users).astype(float)
    return UserSums(summed(losses, users, n_users), events)


def logloss(labels: Vector, probabilities: Vector) -> float:
    """Return the mean cross-entropy in nats."""
    return float(_losses(labels, probabilities).mean())


def _losses(labels: Vector, probabilities: Vector) -> npt.NDArray[np.float64]:
    p = np.clip(probabilities.astype(float), TINY, 1 - TINY)
    losses: npt.NDArray[np.float64] = -np.where(labels > 0, np.log(p), np.log1p(-p))
    return losses
