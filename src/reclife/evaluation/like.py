"""The question "will this user do it" of every task, on every test event."""

from collections.abc import Mapping
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
    names_of,
)
from reclife.contracts import (
    ITEM,
    LABEL,
    TIME,
    USER,
    Calibration,
    EvaluationRow,
    FeatureSpec,
    Task,
)
from reclife.errors import DataError
from reclife.evaluation import bias, logistic, slices
from reclife.evaluation.events import Events
from reclife.evaluation.rows import ALL, DRAWN, REMEDY, Measured, Rows
from reclife.evaluation.slice_values import Slices
from reclife.evaluation.slices import Entities
from reclife.metrics.calibrators import calibrated
from reclife.metrics.resampling import resample
from reclife.transforms.kernels.arrays import column, floats, ints, positions
from reclife.transforms.kernels.timeline import Timeline

Scores = npt.NDArray[np.floating]

OBSERVED = "observed"
"""The name under which the data's own figures are reported."""
PAIRED = ("auc", "gauc", "logloss")
"""Metrics whose difference to every baseline is reported."""


@final
@dataclass(frozen=True)
class LikeResult:
    """The rows of one task, what its plots need, and its scored events.

    Attributes:
        task: Its name.
        model: The model's name in the report.
        rows: The rows.
        labels: `[N]` of the events whose label is known.
        scores: `[N]` by model.
        users: Number of users.
        unlabelled: Test events whose label is not known; they are left out of everything.
        scored: User, item, time, label, score and slices of each event.
    """

    task: str
    model: str
    rows: tuple[EvaluationRow, ...]
    labels: Scores
    scores: dict[str, Scores]
    users: int
    unlabelled: int
    scored: pa.Table

    def table(self) -> pa.Table:
        """Return the scored events with the name of the task."""
        name = pa.array([self.task]).take(pa.array(np.zeros(self.scored.num_rows, np.int64)))
        return self.scored.append_column("task", name)


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

    def of(self, task: Task) -> "Examples":
        """Return the examples whose label of `task` is known, as the column `label`."""
        return Examples(*(_of(task, part) for part in (self.train, self.validation, self.test)))


def _of(task: Task, part: pa.Table) -> pa.Table:
    others = [name for name in part.column_names if name not in (LABEL, task.label)]
    table = part.select(others).append_column(LABEL, part[task.label])
    known = ~np.isnan(floats(part, task.label))
    return table if known.all() else table.filter(pa.array(known))


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
    who: Entities,
    task: Task | None = None,
    calibration: Calibration | None = None,
) -> LikeResult:
    """Measure the model beside its baselines on one task.

    Args:
        model: The model's name in the report.
        predicted: `[N]` its chance for each test row.
        examples: The three parts.
        spec: Which columns are features.
        config: Baselines, bins, bootstrap.
        refit: The model was fitted on train and validation together.
        sampled: The negatives were drawn, not observed: the slice then says so.
        who: The attributes that slices may read.
        task: What is predicted; the first task by default.
        calibration: A map of the model's chances, measured as a model of its own.

    Raises:
        DataError: No test event has a label, or a score is not a number.
    """
    task = task or spec.tasks[0]
    labelled = ~np.isnan(floats(examples.test, task.label))
    every, own = examples.test.num_rows, examples.of(task)
    if not own.test.num_rows:
        what = f"none of the {every} test events has a label" if every else "the test part is empty"
        raise DataError(
            f"{task.name}: {what}, so there is nothing to evaluate; declare a split whose test "
            "part holds labelled events."
        )
    if config.like_baselines and not own.train.num_rows:
        raise DataError(
            f"{task.name}: no training event has a label, so no baseline can be fitted; leave "
            "evaluation.like_baselines empty, or declare a split whose training part holds labels."
        )
    scores: dict[str, Scores] = {model: predicted[labelled]}
    if calibration is not None:
        scores[f"{model}+{calibration.kind}"] = calibrated(calibration, scores[model])
    names = names_of(config.like_baselines)
    for name, baseline in zip(names, config.like_baselines, strict=True):
        scores[name] = baseline_scores(own, spec, baseline, refit)
    _check_numbers(scores)
    test, known = own.test, own.known
    ids = column(test, USER).unique()
    boot = config.bootstrap
    events = Events(
        labels=floats(test, LABEL),
        users=positions(column(test, USER), ids),
        n_users=len(ids),
        resamples=resample(len(ids), boot.resamples, boot.seed),
    )
    earlier = _earlier_events(known, test)
    parts = slices.of_rows(config.slices, known, test, earlier, who)
    rows = _rows(task, model, scores, events, parts, config)
    unlabelled = every - test.num_rows
    rows.add(OBSERVED, ALL, "unlabelled", Measured(unlabelled))
    kept = tuple(_labelled(rows, sampled))
    scored = _scored(test, scores[model], parts)
    return LikeResult(task.name, model, kept, events.labels, scores, len(ids), unlabelled, scored)


def _check_numbers(scores: Mapping[str, Scores]) -> None:
    for name, values in scores.items():
        if wrong := int(np.isnan(values).sum()):
            raise DataError(f"{name}: {wrong} of {len(values)} scores are not numbers; {REMEDY}.")


def _rows(
    task: Task,
    model: str,
    scores: Mapping[str, Scores],
    events: Events,
    parts: Slices,
    config: EvaluationConfig,
) -> Rows:
    rows = Rows(task.name)
    rows.add(OBSERVED, ALL, "events", Measured(len(events.labels), users=events.n_users))
    rows.add(OBSERVED, ALL, "base_rate", events.base_rate())
    measured = {
        name: events.measure(values, config.calibration_bins) for name, values in scores.items()
    }
    for name, metrics in measured.items():
        for metric, value in metrics.items():
            rows.add(name, ALL, metric, value)
    for metric in PAIRED:
        rows.add_differences(model, metric, {n: m[metric] for n, m in measured.items()})
    for part, mask in parts.items():
        some = events.where(mask)
        rows.add(OBSERVED, part, "events", Measured(len(some.labels)))
        rows.add(OBSERVED, part, "base_rate", some.base_rate())
        for name, values in scores.items():
            for metric, value in some.measure(values[mask], config.calibration_bins).items():
                rows.add(name, part, metric, value)
    return rows


def _scored(test: pa.Table, scores: Scores, parts: Slices) -> pa.Table:
    """Return what the comparison of runs needs of each event."""
    table = test.select([name for name in (USER, ITEM, TIME, LABEL) if name in test.column_names])
    return table.append_column("score", pa.array(scores.astype(np.float32))).append_column(
        "slices", slices.names_of(parts, test.num_rows)
    )


def _earlier_events(known: pa.Table, test: pa.Table) -> npt.NDArray[np.int64]:
    timed = TIME in test.column_names
    columns = [USER, TIME] if timed else [USER]
    events = known.select(columns)
    events = pa.concat_tables([events, test.select(columns)]) if timed else events
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
        row.model_copy(update={"slice": DRAWN if row.slice == ALL else f"{DRAWN}:{row.slice}"})
        for row in rows.rows
    ]
