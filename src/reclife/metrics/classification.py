"""How well scores tell likes from dislikes.

Every metric that is a ratio of sums is computed from per-user sums, so that the value and its
bootstrap over users come from the same numbers.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from reclife.metrics.packing import (
    USER_SHIFT,
    Keys,
    descending,
    mixed_ties,
    positive_places,
    row_keys,
    score_keys,
    user_keys,
)
from reclife.metrics.ratio import UserSums
from reclife.metrics.sums import summed

Vector = npt.NDArray[np.floating]
Codes = npt.NDArray[np.integer]

TINY = 1e-7
"""Probabilities are kept this far from 0 and 1: the resolution of float32 near 1."""


def auc(labels: Vector, scores: Vector) -> float:
    """Return the chance that a positive scores above a negative, a tie counting half.

    The j-th positive, at place i of the ascending order, has i - j negatives below it; of those
    tied with it, half are taken back (Mann-Whitney). NaN when one class is missing.
    """
    return _area(row_keys(labels > 0, scores))


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
    """Return the AUC within users (Zhu et al. 2017, "Optimized Cost per Click in Taobao").

    Args:
        labels: `[N]` 0 or 1.
        scores: `[N]` higher is better.
        users: `[N]` user number, 0 .. `n_users` - 1.
        n_users: Number of users.
    """
    return _grouped_area(row_keys(labels > 0, scores), users, n_users)


def auc_and_gauc(
    labels: Vector, scores: Vector, users: Codes, n_users: int
) -> tuple[float, GroupedAuc]:
    """Return both at once, each in a thread of its own: numpy sorts without the interpreter."""
    rows = row_keys(labels > 0, scores)
    with ThreadPoolExecutor(1) as pool:
        grouped = pool.submit(_grouped_area, rows, users, n_users)
        return _area(rows), grouped.result()


def _area(rows: Keys) -> float:
    keys = np.sort(rows)
    places = positive_places(keys)
    ones = len(places)
    zeros = len(keys) - ones
    if not ones or not zeros:
        return float("nan")
    _, tied_zeros, tied_ones = mixed_ties(keys)
    below = int(places.sum()) - ones * (ones - 1) // 2 - float((tied_zeros * tied_ones).sum()) / 2
    return below / ones / zeros


def _grouped_area(rows: Keys, users: Codes, n_users: int) -> GroupedAuc:
    keys = user_keys(rows, users)
    keys.sort()
    events = np.bincount(users, minlength=n_users)
    bounds = np.concatenate([[0], np.cumsum(events)])
    places = positive_places(keys)
    first = np.searchsorted(places, bounds)
    ones = np.diff(first)
    placed = np.diff(np.concatenate([[0], np.cumsum(places)])[first])
    below = placed - ones * bounds[:-1] - ones * (ones - 1) / 2
    border, tied_zeros, tied_ones = mixed_ties(keys)
    owners = (keys[border] >> np.uint64(USER_SHIFT)).astype(np.int64)
    below -= np.bincount(owners, weights=tied_zeros * tied_ones / 2, minlength=n_users)
    pairs = ones * (events - ones)
    mixed = pairs > 0
    weight = np.where(mixed, events, 0).astype(np.float64)
    area = below / np.where(mixed, pairs, 1) * weight
    return GroupedAuc(UserSums(area, weight), int(((events > 0) & ~mixed).sum()))


@final
@dataclass(frozen=True)
class Curve:
    """The distinct scores, the best first.

    Attributes:
        ones: `[G]` positives at each.
        zeros: `[G]` negatives at each.
        group: `[N]` which of them each row has.
    """

    ones: Codes
    zeros: Codes
    group: Codes


def curve(labels: Vector, scores: Vector) -> Curve:
    """Count both labels at each distinct score."""
    order, ordered = descending(score_keys(scores))
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    group = np.empty(len(order), np.int32)
    group[order] = np.cumsum(new, dtype=np.int32) - 1
    bounds = np.append(np.flatnonzero(new), len(order))
    ones = np.diff(np.concatenate([[0], np.cumsum((labels > 0)[order])])[bounds])
    return Curve(ones, np.diff(bounds) - ones, group)


def average_precision(labels: Vector, scores: Vector) -> float:
    """Return the area under precision and recall, as the sum of precision times gain in recall.

    Tied scores enter together, so a constant model gets the share of positives. NaN without a
    positive.
    """
    return area_under(curve(labels, scores))


def area_under(found: Curve) -> float:
    """Return the average precision of the counts at each score."""
    total = found.ones.sum()
    if not total:
        return float("nan")
    above = np.cumsum(found.ones)
    precision = above / (above + np.cumsum(found.zeros))
    return float((precision * found.ones).sum() / total)


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


def normalized_entropy(mean_loss: Vector | float, base_rate: Vector | float) -> Vector:
    """Return the cross-entropy over that of always predicting the share of positives.

    Below 1 is better than knowing nothing but the base rate (He et al. 2014, "Practical Lessons
    from Predicting Clicks on Ads at Facebook"). NaN where one class is missing.
    """
    p = np.asarray(base_rate, np.float64)
    known = (p > 0) & (p < 1)
    inside = np.where(known, p, 0.5)
    entropy = -(inside * np.log(inside) + (1 - inside) * np.log1p(-inside))
    return np.where(known, np.asarray(mean_loss) / entropy, np.nan)
