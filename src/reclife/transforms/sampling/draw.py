"""Draws by hash from ranges of weighted places."""

from collections.abc import Callable
from typing import final

import numpy as np
import pyarrow as pa

from reclife.contracts import ITEM, TIME, USER
from reclife.transforms.kernels.arrays import Bools, Floats, Hashes, Ints, hash_of, scramble
from reclife.transforms.sampling.base import PART

ATTEMPTS = 16
"""How often a place that may not be taken is drawn again."""
_BITS = 53


@final
class Weights:
    """Weights of N places in a row, to be drawn from in ranges of them."""

    def __init__(self, weights: Floats) -> None:
        self.weights = weights
        self._ends = np.cumsum(weights)

    def total(self, start: Ints, stop: Ints) -> Floats:
        """Return the weight of each range [start, stop)."""
        return self._before(stop) - self._before(start)

    def pick(self, start: Ints, stop: Ints, shares: Floats) -> Ints:
        """Return the place in [start, stop) at each share, in [0, 1), of the range's weight."""
        aim = self._before(start) + shares * self.total(start, stop)
        found = np.searchsorted(self._ends, aim, side="right")
        return np.clip(found, start, stop - 1)

    def _before(self, place: Ints) -> Floats:
        return np.where(place > 0, self._ends[np.maximum(place, 1) - 1], 0.0)


def seeds_of(positives: pa.Table) -> Hashes:
    """Return the hash of each positive's ids and time, or part where there is no time, [M]."""
    return hash_of(positives, (USER, ITEM, TIME if TIME in positives.column_names else PART))


def draw(
    weights: Weights,
    start: Ints,
    stop: Ints,
    seeds: Hashes,
    allowed: Callable[[Ints, Ints], Bools],
    per_positive: int,
    seed: int,
) -> Ints:
    """Return up to `per_positive` different places of each row's range, [M, K], -1 for none.

    The k-th draw of a row is a hash of the row's own, k and the seed, so that it is the same under
    any partitioning and in every run. Drawn again, at most sixteen times, is what may not be taken
    and what the row already has.

    Args:
        weights: What to draw from.
        start: First place of each row's range, [M].
        stop: The place behind its last one; where it is `start` nothing is drawn.
        seeds: Hash of each row.
        allowed: (rows, places) -> whether each row may take its place.
        per_positive: K.
        seed: Another one gives other draws.
    """
    chosen = np.full((len(start), per_positive), -1, np.int64)
    for rank in range(per_positive):
        for attempt in range(ATTEMPTS):
            rows = np.flatnonzero((chosen[:, rank] < 0) & (stop > start))
            if not len(rows):
                break
            salt = (seed * per_positive + rank) * ATTEMPTS + attempt
            places = weights.pick(start[rows], stop[rows], _shares(seeds[rows], salt))
            fresh = allowed(rows, places) & ~(chosen[rows] == places[:, None]).any(axis=1)
            chosen[rows[fresh], rank] = places[fresh]
    return chosen


def _shares(seeds: Hashes, salt: int) -> Floats:
    """Return a number in [0, 1) per seed, another one for each salt."""
    salted = scramble(np.array([salt], np.uint64))
    bits = scramble(seeds ^ salted) >> np.uint64(64 - _BITS)
    return bits.astype(np.float64) * 2.0**-_BITS
