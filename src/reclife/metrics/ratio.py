"""Ratios of per-user sums."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from reclife.metrics.resampling import Resamples

Sums = npt.NDArray[np.floating]


@final
@dataclass(frozen=True)
class UserSums:
    """A metric of the form `sum of numerators / sum of denominators`, both `[U]`, one per user."""

    numerators: Sums
    denominators: Sums

    @classmethod
    def mean(cls, values: Sums) -> "UserSums":
        """Return the mean over users `[U]` as a ratio; users whose value is NaN are left out."""
        known = np.isfinite(values)
        return cls(np.where(known, values, 0.0), known.astype(float))

    @property
    def value(self) -> float:
        """The metric over all users; NaN when the denominators sum to zero."""
        total = float(self.denominators.sum())
        return float(self.numerators.sum()) / total if total else float("nan")

    @property
    def users(self) -> int:
        """How many users take part."""
        return int((self.denominators > 0).sum())

    def resampled(self, resamples: Resamples) -> Sums:
        """Return the metric of each resample `[R]`."""
        below = resamples.totals(self.denominators)
        values: Sums = resamples.totals(self.numerators) / np.where(below, below, np.nan)
        return values
