"""How well a full ranking finds the targets, equal scores at their expected value.

A list metric under ties is the mean over all orders of the tied items, in closed form: a model
that scores everything alike gets what a random order gets, never a lucky list.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
import numpy.typing as npt

from reclife.metrics.sums import summed

Matrix = npt.NDArray[np.floating]
Vector = npt.NDArray[np.floating]
Ints = npt.NDArray[np.int64]

METRICS = ("ndcg", "recall", "precision", "hit_rate", "mrr", "map")


@final
@dataclass(frozen=True)
class Places:
    """Where the targets of Q queries stand in their full rankings.

    Attributes:
        query: `[M]` the query of each listed target.
        above: `[M]` items that score higher.
        tied: `[M]` items that score the same, the target included.
        tied_targets: `[M]` targets among these.
        targets_above: `[M]` targets that score higher.
        targets: `[Q]` number of targets, those that stand on no list included.
    """

    query: Ints
    above: Ints
    tied: Ints
    tied_targets: Ints
    targets_above: Ints
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
    width = int(above.max(initial=0)) + 1
    groups, inverse, counts = np.unique(
        query * width + above, return_inverse=True, return_counts=True
    )
    before = np.cumsum(counts) - counts
    first = np.searchsorted(groups, groups // width * width)  # the query's best group
    higher = before - before[first]
    return Places(query, above, tied, counts[inverse], higher[inverse], targets)


def at_k(found: Places, k: int) -> dict[str, Vector]:
    """Return each metric of each query `[Q]`; a query without targets is NaN, without a list 0.

    NDCG with binary gains and discounts 1 / log2(rank + 1) (Järvelin & Kekäläinen 2002), its ideal
    min(k, targets) hits; recall over all targets, precision over k; MRR is 0 where the first hit
    is below k; MAP sums the precision at each hit and divides by min(k, targets).
    """
    queries = len(found.targets)
    first = np.minimum(found.above, k)
    last = np.minimum(found.above + found.tied, k)
    gain = _mean_discount(found, k)
    inside = (last - first) / found.tied
    some = np.where(found.targets, found.targets, np.nan).astype(float)
    hits = summed(inside, found.query, queries)
    hit, reciprocal = _first_hit(found, k)
    precise = summed(_precision_at_hits(found, k), found.query, queries)
    return {
        "ndcg": summed(gain, found.query, queries) / _ideal(found.targets, k),
        "recall": hits / some,
        "precision": np.where(np.isnan(some), np.nan, hits / k),
        "hit_rate": np.where(np.isnan(some), np.nan, hit),
        "mrr": np.where(np.isnan(some), np.nan, reciprocal),
        "map": precise / np.minimum(some, k),
    }


def graded_at_k(found: Places, gains: Vector, ideal: Vector, k: int) -> Vector:
    """Return the NDCG with graded, linear gains of each query `[Q]`; NaN where the ideal is 0.

    Args:
        found: Where the targets stand.
        gains: `[M]` the grade of each listed target, in the order of `found`.
        ideal: `[Q]` what the best list of k targets would gain, see `ideal_gain`.
        k: Cut-off.
    """
    total = summed(_mean_discount(found, k) * gains, found.query, len(found.targets))
    return total / np.where(ideal > 0, ideal, np.nan)


def ideal_gain(query: Ints, gains: Vector, queries: int, k: int) -> Vector:
    """Return the discounted gain of each query's best k targets in the best order `[Q]`."""
    order = np.lexsort((-gains, query))
    owner = query[order]
    rank = np.arange(len(order)) - np.searchsorted(owner, owner)
    inside = rank < k
    values = gains[order][inside] * _discounts(k)[rank[inside]]
    return summed(values, owner[inside], queries)


def _mean_discount(found: Places, k: int) -> Vector:
    """Return each target's expected discount over the places of its tie group `[M]`."""
    discounts = np.concatenate([[0.0], np.cumsum(_discounts(k))])
    first = np.minimum(found.above, k)
    last = np.minimum(found.above + found.tied, k)
    return np.asarray((discounts[last] - discounts[first]) / found.tied, np.float64)


def _ideal(targets: Ints, k: int) -> Vector:
    ideal = np.concatenate([[0.0], np.cumsum(_discounts(k))])[np.minimum(targets, k)]
    return np.where(ideal, ideal, np.nan)


def _precision_at_hits(found: Places, k: int) -> Vector:
    """Return each target's expected precision at its own place, 0 below k `[M]`.

    At place j of n tied items, r of them targets, with a items and h targets above, the precision
    is expected to be (h + 1 + (j - 1) c) / (a + j) with c = (r - 1) / (n - 1): summed over the
    places up to k, a difference of harmonic numbers.
    """
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, k + 1))])
    first = np.minimum(found.above, k)
    last = np.minimum(found.above + found.tied, k)
    slope = (found.tied_targets - 1) / np.maximum(found.tied - 1, 1)
    level = found.targets_above + 1 - slope * (found.above + 1)
    total: Vector = level * (harmonic[last] - harmonic[first]) + slope * (last - first)
    return total / found.tied


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
    for j in range(1, min(k, int(tied.max(initial=0))) + 1):
        inside = (above + j <= k) & (j <= tied)
        hit += np.where(inside, chance, 0.0)
        reciprocal += np.where(inside, chance / (above + j), 0.0)
        chance = chance * np.maximum(tied - j - targets + 1, 0) / np.maximum(tied - j, 1)
    wide = np.zeros((2, queries))
    wide[:, found.query[best]] = hit, reciprocal
    return wide[0], wide[1]


def per_user(values: Vector, users: npt.NDArray[np.integer], n_users: int) -> Vector:
    """Average each user's queries `[n_users]`, NaN for a user without a query that has targets."""
    known = np.isfinite(values)
    total = summed(values[known], users[known], n_users)
    count = np.bincount(users[known], minlength=n_users)
    return np.asarray(total / np.where(count, count, np.nan))
