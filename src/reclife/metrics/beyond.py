"""What lists are like, whether right or not: how much of the catalogue, how known, how varied.

Lists are `[Q, K]` item columns, best first; -1 is an empty place. A value that a list does not have
(no item, or one only) is NaN.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy import sparse

from reclife.metrics.sums import summed

Lists = npt.NDArray[np.int64]
Vector = npt.NDArray[np.floating]
Ints = npt.NDArray[np.int64]

PAIRS_AT_ONCE = 1 << 16
CELLS_AT_ONCE = 1 << 22


def coverage(listed: Lists, items: int) -> float:
    """Return the share of the known items that stand on at least one list."""
    return len(np.unique(listed[listed >= 0])) / items


def gini(listed: Lists, items: int) -> float:
    """Return how unequally the places are spread over all known items: 0 evenly, towards 1 on one.

    `sum_i (2 i - I - 1) c_i / (I sum c)` over the items' numbers of places c, ascending.
    """
    counts = np.sort(np.bincount(listed[listed >= 0], minlength=items)).astype(float)
    total = counts.sum()
    rank = np.arange(1, items + 1)
    return float(((2 * rank - items - 1) * counts).sum() / (items * total)) if total else np.nan


def concentration(listed: Lists, items: int, points: int = 101) -> list[float]:
    """Return the share of all places that the most listed 0 to 100 % of the items take."""
    counts = np.sort(np.bincount(listed[listed >= 0], minlength=items))[::-1]
    shares = np.concatenate([[0.0], np.cumsum(counts) / max(counts.sum(), 1)])
    at = np.linspace(0, items, points)
    return [round(float(share), 5) for share in np.interp(at, np.arange(items + 1), shares)]


def novelty(listed: Lists, users_of: Ints, users: int) -> Vector:
    """Return each list's mean self-information, `-log2(share of users who met the item)` `[Q]`.

    Zhou et al. 2010, "Solving the apparent diversity-accuracy dilemma of recommender systems".

    Args:
        listed: The lists.
        users_of: `[I]` users who met the item before the cut, at least 1.
        users: Number of these users.
    """
    return _mean(listed, -np.log2(users_of / users))


def popularity(listed: Lists, counts: Ints) -> Vector:
    """Return the mean number of users of each list's items `[Q]` (ARP, Yin et al. 2012)."""
    return _mean(listed, counts.astype(float))


def diversity(listed: Lists, traits: sparse.csr_array, kind: str) -> Vector:
    """Return the mean distance of each list's pairs of items `[Q]` (Ziegler et al. 2005).

    Args:
        listed: The lists.
        traits: `[I, T]`: the users of an item, or its categories, as ones.
        kind: `cosine`, 1 less the cosine of two rows; or `jaccard`, the share of the traits of
            either item that both do not have. Two items without any trait are no distance apart.
    """
    parts = list(_blocks(len(listed), listed.shape[1] ** 2))
    every = [np.unique(_pairs(listed[part], traits.shape[0])[1]) for part in parts]
    known = np.unique(np.concatenate([np.zeros(0, np.int64), *every]))
    distances = _distances(traits, known // traits.shape[0], known % traits.shape[0], kind)
    means = np.full(len(listed), np.nan)
    for part in parts:
        query, pairs = _pairs(listed[part], traits.shape[0])
        total = summed(distances[np.searchsorted(known, pairs)], query, part.stop - part.start)
        count = np.bincount(query, minlength=part.stop - part.start)
        means[part] = total / np.where(count, count, np.nan)
    return means


def repetition(listed: Lists, owners: Ints, times: Ints) -> Vector:
    """Return the share of each list that stood on the user's list before, NaN for the first `[Q]`.

    Args:
        listed: The lists.
        owners: `[Q]` user of each list.
        times: `[Q]` when it was asked for.
    """
    order = np.lexsort((times, owners))
    found = np.full(len(listed), np.nan)
    same = owners[order][1:] == owners[order][:-1]
    now, before = order[1:][same], order[:-1][same]
    for part in _blocks(len(now), listed.shape[1] ** 2):
        lists, earlier = listed[now[part]], listed[before[part]]
        stays = (lists[:, :, None] == earlier[:, None, :]).any(axis=2) & (lists >= 0)
        sizes = (lists >= 0).sum(axis=1)
        found[now[part]] = stays.sum(axis=1) / np.where(sizes, sizes, np.nan)
    return found


def _blocks(rows: int, cells: int) -> Iterator[slice]:
    """Split rows of `cells` each, so that those of a slice stay within memory."""
    step = max(1, CELLS_AT_ONCE // max(1, cells))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def _pairs(listed: Lists, items: int) -> tuple[Ints, Ints]:
    """Return the query of each pair of listed items, and the pair as `low * items + high`."""
    first, second = np.triu_indices(listed.shape[1], 1)
    left, right = listed[:, first].ravel(), listed[:, second].ravel()
    some = (left >= 0) & (right >= 0)
    query = np.repeat(np.arange(len(listed)), len(first))[some]
    left, right = left[some], right[some]
    return query, np.minimum(left, right) * items + np.maximum(left, right)


def _mean(listed: Lists, values: Vector) -> Vector:
    some = listed >= 0
    total = np.where(some, values[np.maximum(listed, 0)], 0.0).sum(axis=1)
    count = some.sum(axis=1)
    return np.asarray(total / np.where(count, count, np.nan))


def _distances(traits: sparse.csr_array, left: Ints, right: Ints, kind: str) -> Vector:
    sizes = np.asarray(traits.sum(axis=1)).ravel().astype(float)
    both = np.empty(len(left))
    for start in range(0, len(left), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        both[part] = np.asarray((traits[left[part]] * traits[right[part]]).sum(axis=1)).ravel()
    if kind == "jaccard":
        either = sizes[left] + sizes[right] - both
    else:
        either = np.sqrt(sizes[left] * sizes[right])
    return np.where(either > 0, 1.0 - both / np.where(either > 0, either, 1.0), 0.0)
