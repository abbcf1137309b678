"""From metrics to rows of the report."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np
import numpy.typing as npt

from reclife.contracts import EvaluationRow
from reclife.metrics.intervals import Interval, interval
from reclife.metrics.ratio import UserSums
from reclife.metrics.resampling import Resamples

ALL = "all"
"""The slice of everything."""
DRAWN = "sampled_negatives"
"""The slice of figures on drawn negatives, and the beginning of the names of their slices."""
DIFFERENCE = "_difference"
"""The end of the names of metrics that are differences to another model."""
REMEDY = "look at the losses in the report of the training, and train again"
"""What to do about scores that are not numbers."""
NO_INTERVAL = Interval(None, None)
Draws = npt.NDArray[np.floating]


@final
@dataclass(frozen=True)
class Measured:
    """One metric of one model, with its resampled values where there are any."""

    value: float
    draws: Draws | None = None
    users: int | None = None

    @classmethod
    def of(cls, sums: UserSums, resamples: Resamples) -> "Measured":
        """Evaluate a ratio of per-user sums, and its resamples."""
        return cls(sums.value, sums.resampled(resamples), sums.users)


@final
@dataclass
class Rows:
    """Collects the rows of one task; undefined values (one class only, no query) are left out."""

    task: str
    rows: list[EvaluationRow] = field(default_factory=list)

    def add(
        self, model: str, part: str, metric: str, measured: Measured, k: int | None = None
    ) -> None:
        """Add one value of the slice `part`."""
        if not math.isfinite(measured.value):
            return
        single = measured.users is not None and measured.users < 2  # no sample of users
        bounds = NO_INTERVAL
        if measured.draws is not None and not single:
            bounds = interval(measured.draws)
        self.rows.append(
            EvaluationRow(
                model=model,
                task=self.task,
                split="test",
                slice=part,
                metric=metric,
                k=k,
                value=measured.value,
                ci_low=bounds.low,
                ci_high=bounds.high,
                users=measured.users,
            )
        )

    def add_differences(
        self, model: str, metric: str, measured: Mapping[str, Measured], k: int | None = None
    ) -> None:
        """Add how far `model` is above every other, from the same resamples (paired)."""
        ours = measured[model]
        for other, theirs in measured.items():
            if other == model or ours.draws is None or theirs.draws is None:
                continue
            gap = Measured(ours.value - theirs.value, ours.draws - theirs.draws, ours.users)
            self.add(model, f"over:{other}", f"{metric}{DIFFERENCE}", gap, k)
