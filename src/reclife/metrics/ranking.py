"""How well a full ranking finds the targets, equal scores at their expected value.

A list metric under ties is the mean over all orders of the tied items, in closed form: a model
that scores everything alike gets what a random order gets, never a lucky list.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.floating]
Vector = npt.NDArray[np.floating]
Ints = npt.NDArray[np.int64]

METRICS = ("ndcg", "recall", "hit_rate", "mrr")


@final
@dataclass(frozen=True)
class Places:
    """Where the targets of Q queries stand in their full rankings.

    Attributes:
        query: `[M]` the query of each listed target.
        above: `[M]` items that score higher.
        tied: `[M]` items that score the same, the target included.
        tied_targets: `[M]` targets among these.
        targets: `[Q]` number of targets, those that stand on no list included.
    """

    query: Ints
    above: Ints
    tied: Ints
    tied_targets: Ints
    targets: Ints


def standing(ordered: Matrix, query: Ints, values: Vector) -> tuple[Ints, Ints]:
    """Return for each target how many items score higher, and how many the same, `[M]` each.

    Args:
        ordered: `[Q, I]` each query's scores in ascending order; minus infinity marks an item that
            is not on the list.
        query: `[M]` the query of each target, ascending.
        values: `[M]` its score. A target that is not on the list has 0 items that score the same.
    """
    above, tied = np.zeros(len(query), np.int64), np.zeros(len(query), np.int64)
    bounds = np.searchsorted(query, np.arange(len(ordered) + 1))
    for row, (start, stop) in enumerate(pairwise(bounds)):
        wanted = values[start:stop]
        last = np.searchsorted(ordered[row], wanted, side="right")
        above[start:stop] = ordered.shape[1] - last
        tied[start:stop] = last - np.searchsorted(ordered[row], wanted, side="left")
    return above, np.where(np.isfinite(values), tied, 0)


def places(query: Ints, above: Ints, tied: Ints, targets: Ints) -> Places:
    """Put together what `standing` found; `targets` `[Q]` may count more than were looked up."""
    listed = tied > 0
    query, above, tied = query[listed], above[listed], tied[listed]
    keys = np.stack([query, above])
    _, inverse, counts = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
    return Places(query, above, tied, counts[inverse], targets)


def at_k(found: Places, k: int) -> dict[str, Vector]:
    """Return each metric of each query `[Q]`; a query without targets is NaN, without a list 0.

    NDCG with binary gains and discounts 1 / log2(rank + 1) (Järvelin & Kekäläinen 2002), its ideal
    min(k, targets) hits; recall over all targets; MRR is 0 where the first hit is below k.
    """
    queries = len(found.targets)
    first = np.minimum(found.above, k)
    last = np.minimum(found.above + found.tied, k)
    discounts = np.concatenate([[0.0], np.cumsum(_discounts(k))])
    gain = (discounts[last] - discounts[first]) / found.tied
    inside = (last - first) / found.tied
    some = np.where(found.targets, found.targets, np.nan).astype(float)
    ideal = discounts[np.minimum(found.targets, k)]
    hit, reciprocal = _first_hit(found, k)
    return {
        "ndcg": np.bincount(found.query, gain, queries) / np.where(ideal, ideal, np.nan),
        "recall": np.bincount(found.query, inside, queries) / some,
        "hit_rate": np.where(np.isnan(some), np.nan, hit),
        "mrr": np.where(np.isnan(some), np.nan, reciprocal),
    }


def _discounts(k: int) -> Vector:
    discounts: Vector = 1.0 / np.log2(np.arange(2, k + 2))
    return discounts


def _first_hit(found: Places, k: int) -> tuple[Vector, Vector]:
    """Return the chance of a hit within k and the expected reciprocal rank of the first, `[Q]`.

    Only the best tie group that holds a target matters. With n tied items of which r are targets,
    the first target stands at place j of the group with chance h_j = C(n - j, r - 1) / C(n, r),
    built up by h_1 = r / n and h_(j+1) = h_j (n - j - r + 1) / (n - j).
    """
    queries = len(found.targets)
    best = np.lexsort((found.above, found.query))
    best = best[np.unique(found.query[best], return_index=True)[1]]
    above, tied = found.above[best], found.tied[best]
    targets = found.tied_targets[best]
    chance = targets / tied
    hit, reciprocal = np.zeros(len(best)), np.zeros(len(best))
    for j in range(1, k + 1):
        inside = (above + j <= k) & (j <= tied)
        hit += np.where(inside, chance, 0.0)
        reciprocal += np.where(inside, chance / (above + j), 0.0)
        chance = chance * np.maximum(tied - j - targets + 1, 0) / np.maximum(tied - j, 1)
    wide = np.zeros((2, queries))
    wide[:, found.query[best]] = hit, reciprocal
    return wide[0], wide[1]


def graded_ndcg(gains: Vector, ideal: Vector, k: int) -> float:
    """Return NDCG with graded gains, linear.

    Args:
        gains: The grades in the order of the list.
        ideal: All grades there are, listed or not.
        k: Cut-off.
    """
    best = np.sort(ideal)[::-1][:k]
    discounts = _discounts(k)
    top = float((best * discounts[: len(best)]).sum())
    return float((gains[:k] * discounts[: len(gains)]).sum()) / top if top else float("nan")


def per_user(values: Vector, users: npt.NDArray[np.integer], n_users: int) -> Vector:
    """Average each user's queries `[n_users]`, NaN for a user without a query that has targets."""
    known = np.isfinite(values)
    total = np.bincount(users[known], values[known], n_users)
    count = np.bincount(users[known], minlength=n_users)
    return np.asarray(total / np.where(count, count, np.nan))


def coverage(listed: Ints, items: int) -> float:
    """Return the share of the known items that stand on at least one list; -1 is an empty place."""
    return len(np.unique(listed[listed >= 0])) / items
