"""Bootstrap over users (Efron & Tibshirani 1993, ch. 13).

Events of one user hang together, so users are resampled, never events. All metrics of a run share
the same resamples: the difference of two metrics then has a paired interval.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from reclife.metrics.sums import summed

Counts = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer]
Sums = npt.NDArray[np.floating]

MOST_UNITS = 20_000
"""More users than this are resampled in so many groups: their sums vary just as much."""


@final
@dataclass(frozen=True)
class Resamples:
    """R resamples of G units: the users, or groups of users drawn together where there are many.

    Attributes:
        counts: `[R, G]` how often each unit is drawn in each resample.
    """

    counts: Counts

    def units(self, users: Codes) -> Codes:
        """Return the unit of each user number, 0 .. G-1."""
        return users % self.counts.shape[1]

    def by_unit(self, values: Sums) -> Sums:
        """Return the sums `[G]` of the users' values `[U]`."""
        units = self.counts.shape[1]
        if len(values) <= units:
            return values
        return summed(values, self.units(np.arange(len(values))), units)

    def totals(self, values: Sums) -> Sums:
        """Return the sum of the users' values `[U]` in each resample `[R]`."""
        totals: Sums = self.counts @ self.by_unit(values)
        return totals


def resample(users: int, resamples: int, seed: int) -> Resamples:
    """Draw as many of the users as there are, with replacement, `resamples` times."""
    units = min(users, MOST_UNITS)
    chances = np.full(units, 1.0 / max(units, 1))
    rng = np.random.default_rng(seed)
    return Resamples(rng.multinomial(units, chances, size=resamples).astype(float))
