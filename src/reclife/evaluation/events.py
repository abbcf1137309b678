"""The test events of one task, and how well chances fit them."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from reclife.evaluation.rows import Measured
from reclife.metrics.calibration import calibration_sums, reliability
from reclife.metrics.classification import (
    area_under,
    auc_and_gauc,
    curve,
    logloss_sums,
    normalized_entropy,
)
from reclife.metrics.intervals import resampled_areas
from reclife.metrics.ratio import UserSums
from reclife.metrics.resampling import Resamples
from reclife.metrics.sums import summed

Vector = npt.NDArray[np.floating]
Codes = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

COMPARED = ("auc", "pr_auc", "gauc", "logloss", "normalized_entropy")
"""Metrics of which a difference of two models means something."""


@final
@dataclass(frozen=True)
class Events:
    """N labelled test events.

    Attributes:
        labels: `[N]` 0 or 1.
        users: `[N]` user number, 0 .. U-1.
        n_users: U.
        resamples: Of the users.
    """

    labels: Vector
    users: Codes
    n_users: int
    resamples: Resamples

    def where(self, mask: Bools) -> "Events":
        """Return some of the events; the users keep their numbers, and their resamples."""
        return Events(self.labels[mask], self.users[mask], self.n_users, self.resamples)

    def base_rate(self) -> Measured:
        """Return the share of positives."""
        ones = summed(self.labels, self.users, self.n_users)
        counts = summed(np.ones(len(self.users)), self.users, self.n_users)
        return Measured.of(UserSums(ones, counts), self.resamples)

    def measure(self, scores: Vector, bins: int) -> dict[str, Measured]:
        """Return every metric of some scores `[N]`, with its resamples.

        Chances outside of 0 and 1, as simple baselines give them, are cut for the metrics that need
        a chance.
        """
        who = self.users, self.n_users
        chances = np.clip(scores.astype(np.float64), 0.0, 1.0)
        area, grouped = auc_and_gauc(self.labels, scores, *who)
        found = curve(self.labels, scores)
        areas = resampled_areas(self.labels, found, self.users, self.resamples)
        losses = logloss_sums(self.labels, chances, *who)
        loss, rate = Measured.of(losses, self.resamples), self.base_rate()
        members = losses.users
        error = reliability(self.labels, chances, bins).error
        return {
            "auc": Measured(area, areas.auc, members),
            "gauc": Measured.of(grouped.sums, self.resamples),
            "pr_auc": Measured(area_under(found), areas.average_precision, members),
            "logloss": loss,
            "normalized_entropy": _normalized(loss, rate),
            "calibration": Measured.of(
                calibration_sums(self.labels, chances, *who), self.resamples
            ),
            "calibration_error": Measured(error, users=members),
        }


def _normalized(loss: Measured, rate: Measured) -> Measured:
    draws = (
        None
        if loss.draws is None or rate.draws is None
        else normalized_entropy(loss.draws, rate.draws)
    )
    return Measured(float(normalized_entropy(loss.value, rate.value)), draws, loss.users)
