"""Do predicted chances come true?"""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from reclife.metrics.ratio import UserSums
from reclife.metrics.sums import summed

Vector = npt.NDArray[np.floating]
Codes = npt.NDArray[np.integer]


def calibration_sums(labels: Vector, probabilities: Vector, users: Codes, n_users: int) -> UserSums:
    """Return predicted over observed likes, by user; 1 is calibrated in the large."""
    predicted = summed(probabilities, users, n_users)
    return UserSums(predicted, summed(labels, users, n_users))


@final
@dataclass(frozen=True)
class Reliability:
    """Events grouped by predicted chance into bins of equal width.

    Attributes:
        predicted: `[B]` mean prediction, NaN in an empty bin.
        observed: `[B]` share of likes.
        events: `[B]`.
    """

    predicted: Vector
    observed: Vector
    events: Vector

    @property
    def error(self) -> float:
        """The expected calibration error: |observed - predicted|, weighted by events."""
        gaps = np.abs(np.nan_to_num(self.observed - self.predicted))
        return float((gaps * self.events).sum() / self.events.sum())


def reliability(labels: Vector, probabilities: Vector, bins: int) -> Reliability:
    """Group events by predicted chance."""
    place = np.minimum((probabilities * bins).astype(int), bins - 1)
    events = np.bincount(place, minlength=bins).astype(float)
    size = np.where(events, events, np.nan)
    predicted = np.bincount(place, weights=probabilities, minlength=bins) / size
    observed = np.bincount(place, weights=labels, minlength=bins) / size
    return Reliability(predicted, observed, events)
