"""Ratios of per-user sums."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

Sums = npt.NDArray[np.floating]


@final
@dataclass(frozen=True)
class UserSums:
    """A metric of the form `sum of numerators / sum of denominators`, both `[U]`, one per user."""

    numerators: Sums
    denominators: Sums

    @property
    def value(self) -> float:
        """The metric over all users; NaN when the denominators sum to zero."""
        total = float(self.denominators.sum())
        return float(self.numerators.sum()) / total if total else float("nan")

    def resampled(self, counts: Sums) -> Sums:
        """Return the metric of each resample `[R]`.

        Args:
            counts: `[R, U]` how often each user is in each resample.
        """
        below = counts @ self.denominators
        values: Sums = (counts @ self.numerators) / np.where(below, below, np.nan)
        return values


def summed(values: Sums, users: npt.NDArray[np.integer], n_users: int) -> npt.NDArray[np.float64]:
    """Return the sum of each user's values `[n_users]`."""
    return np.bincount(users, weights=values, minlength=n_users).astype(np.float64)
