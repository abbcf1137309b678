"""From metrics to rows of the report."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, final

import numpy as np
import numpy.typing as npt

from reclife.contracts import EvaluationRow
from reclife.metrics.intervals import Interval, interval
from reclife.metrics.ratio import UserSums

ALL = "all"
"""The slice of everything."""
NO_INTERVAL = Interval(None, None)
Task = Literal["like", "lists"]
Draws = npt.NDArray[np.floating]


@final
@dataclass(frozen=True)
class Measured:
    """One metric of one model, with its resampled values where there are any."""

    value: float
    draws: Draws | None = None
    users: int | None = None

    @classmethod
    def of(cls, sums: UserSums, counts: Draws | None) -> "Measured":
        """Evaluate a ratio of per-user sums, and its resamples by `counts` `[R, U]`."""
        users = int((sums.denominators > 0).sum())
        return cls(sums.value, None if counts is None else sums.resampled(counts), users)


@final
@dataclass
class Rows:
    """Collects the rows of one task; undefined values (one class only, no query) are left out."""

    task: Task
    rows: list[EvaluationRow] = field(default_factory=list)

    def add(
        self, model: str, part: str, metric: str, measured: Measured, k: int | None = None
    ) -> None:
        """Add one value of the slice `part`."""
        if not math.isfinite(measured.value):
            return
        bounds = NO_INTERVAL if measured.draws is None else interval(measured.draws)
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
            self.add(model, f"over:{other}", f"{metric}_difference", gap, k)
