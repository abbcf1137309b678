"""The question "will this user like it", on every test event."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reclife.config.evaluation import (
    EvaluationConfig,
    ItemMeanConfig,
    LikeBaselineConfig,
    LogisticBaselineConfig,
    UserItemBiasConfig,
)
from reclife.contracts import ITEM, LABEL, TIME, USER, EvaluationRow, FeatureSpec
from reclife.metrics.calibration import calibration_sums, reliability
from reclife.metrics.classification import auc, gauc, logloss_sums
from reclife.metrics.intervals import resample, resampled_auc
from reclife.metrics.ratio import UserSums, summed
from reclife.pipelines.evaluation import bias, logistic
from reclife.pipelines.evaluation.rows import ALL, Measured, Rows
from reclife.transforms.arrays import column, floats, ints, positions
from reclife.transforms.timeline import Timeline

Scores = npt.NDArray[np.float64]

ACTIVITY = (0, 1, 20, 100, 500)
"""Lower bounds of the slices by a user's number of earlier events."""
OBSERVED = "observed"
"""The name under which the data's own figures are reported."""


@final
@dataclass(frozen=True)
class LikeResult:
    """The rows of the task, and what its plots need."""

    model: str
    rows: tuple[EvaluationRow, ...]
    labels: Scores
    scores: dict[str, Scores]
    users: int


@final
@dataclass(frozen=True)
class Examples:
    """The three parts, as the features stage wrote them."""

    train: pa.Table
    validation: pa.Table
    test: pa.Table

    @property
    def known(self) -> pa.Table:
        """Who, what, when and label of everything before the test part."""
        return pa.concat_tables([_events(self.train), _events(self.validation)])


def baseline_scores(
    examples: Examples, spec: FeatureSpec, config: LikeBaselineConfig, refit: bool
) -> Scores:
    """Return what a baseline predicts for the test rows."""
    match config:
        case ItemMeanConfig():
            return bias.item_mean(examples.known, _events(examples.test), config)
        case UserItemBiasConfig():
            return bias.user_item_bias(examples.known, _events(examples.test), config)
        case LogisticBaselineConfig():
            parts = examples.train, examples.validation, examples.test
            return logistic.scores(*parts, spec, config, refit)


def evaluate(
    model: str,
    predicted: Scores,
    examples: Examples,
    spec: FeatureSpec,
    config: EvaluationConfig,
    refit: bool,
    sampled: bool,
) -> LikeResult:
    """Measure the model beside its baselines.

    Args:
        model: The model's name in the report.
        predicted: `[N]` its chance of a like for each test row.
        examples: The three parts.
        spec: Which columns are features.
        config: Baselines, bins, bootstrap.
        refit: The model was fitted on train and validation together.
        sampled: The negatives were drawn, not observed: the slice then says so.
    """
    scores = {model: predicted.astype(np.float64)}
    for baseline in config.like_baselines:
        scores[baseline.kind] = baseline_scores(examples, spec, baseline, refit)
    test = examples.test
    labels, known_users = floats(test, LABEL), column(test, USER).unique()
    users, n_users = positions(column(test, USER), known_users), len(known_users)
    counts = resample(n_users, config.bootstrap.resamples, config.bootstrap.seed)

    rows = Rows("like")
    events = summed(np.ones(len(users)), users, n_users)
    rate = UserSums(summed(labels, users, n_users), events)
    rows.add(OBSERVED, ALL, "base_rate", Measured.of(rate, counts))
    measured = {
        name: _measure(labels, values, users, counts, config.calibration_bins)
        for name, values in scores.items()
    }
    for name, metrics in measured.items():
        for metric, value in metrics.items():
            rows.add(name, ALL, metric, value)
    for metric in ("auc", "gauc"):
        rows.add_differences(model, metric, {n: m[metric] for n, m in measured.items()})
    for part, mask in _slices(examples).items():
        for name, values in scores.items():
            members = len(np.unique(users[mask]))
            rows.add(name, part, "auc", Measured(auc(labels[mask], values[mask]), users=members))
    return LikeResult(model, tuple(_labelled(rows, sampled)), labels, scores, n_users)


def _measure(
    labels: Scores, scores: Scores, users: npt.NDArray[np.int64], counts: Scores, bins: int
) -> dict[str, Measured]:
    n_users = counts.shape[1]
    chances = np.clip(scores, 0.0, 1.0)
    area = resampled_auc(labels, scores, users, counts)
    error = reliability(labels, chances, bins).error
    return {
        "auc": Measured(auc(labels, scores), area, n_users),
        "gauc": Measured.of(gauc(labels, scores, users, n_users).sums, counts),
        "logloss": Measured.of(logloss_sums(labels, chances, users, n_users), counts),
        "calibration": Measured.of(calibration_sums(labels, chances, users, n_users), counts),
        "calibration_error": Measured(error, users=n_users),
    }


def _slices(examples: Examples) -> dict[str, npt.NDArray[np.bool_]]:
    """Return the test rows of each slice: known and unknown items, users by earlier events."""
    known, test = examples.known, _events(examples.test)
    unseen = positions(column(test, ITEM), column(known, ITEM).unique()) < 0
    parts = {"item:known": ~unseen, "item:unknown": unseen}
    earlier = _earlier_events(known, test)
    group = np.searchsorted(ACTIVITY, earlier, side="right") - 1
    for number, bound in enumerate(ACTIVITY):
        last = ACTIVITY[number + 1] - 1 if number + 1 < len(ACTIVITY) else None
        name = str(bound) if last == bound else f"{bound}+" if last is None else f"{bound}-{last}"
        parts[f"earlier_events:{name}"] = group == number
    return parts


def _earlier_events(known: pa.Table, test: pa.Table) -> npt.NDArray[np.int64]:
    timed = TIME in test.column_names
    events = pa.concat_tables([known, test]) if timed else known
    users = column(events, USER).unique()
    owners = positions(column(events, USER), users)
    clock = ints(events, TIME) if timed else np.zeros(len(owners), np.int64)
    now = ints(test, TIME) if timed else np.ones(test.num_rows, np.int64)
    span = Timeline(owners, clock).before(positions(column(test, USER), users), now)
    return np.asarray(span.stop - span.start)


def _events(table: pa.Table) -> pa.Table:
    names = [n for n in (USER, ITEM, TIME, LABEL) if n in table.column_names]
    return table.select(names)


def _labelled(rows: Rows, sampled: bool) -> list[EvaluationRow]:
    """Say in every slice's name that the negatives were drawn."""
    if not sampled:
        return rows.rows
    return [
        row.model_copy(update={"slice": f"sampled_negatives:{row.slice}".removesuffix(":all")})
        for row in rows.rows
    ]
