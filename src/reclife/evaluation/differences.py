"""From the paired rows of two runs to differences with intervals and p-values.

A metric that is a mean of what users add, or a ratio with the same denominator in both runs, is
tested by random signs of the users' differences; the areas, which are no sums, by the bootstrap.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reclife.contracts import LABEL, USER, ComparisonRow
from reclife.evaluation.events import COMPARED, Events
from reclife.evaluation.rows import ALL, Measured
from reclife.metrics.classification import gauc, logloss_sums
from reclife.metrics.intervals import interval
from reclife.metrics.ranking import per_user
from reclife.metrics.ratio import UserSums
from reclife.metrics.resampling import Resamples, resample
from reclife.metrics.significance import bootstrap_p, holm, sign_flip_p
from reclife.transforms.kernels.arrays import column, floats, positions

Vector = npt.NDArray[np.floating]
Bools = npt.NDArray[np.bool_]
Metrics = dict[tuple[str, int | None], "Pair"]

SCORE, SLICES = "score", "slices"


@final
@dataclass(frozen=True)
class Drawing:
    """How often users are resampled, and signs drawn."""

    resamples: int = 2000
    seed: int = 17


@final
@dataclass(frozen=True)
class Pair:
    """One metric of both runs; `gaps` `[U]` is what each user adds, where the metric is a sum."""

    first: Measured
    second: Measured
    gaps: Vector | None = None


def of_events(
    task: str, first: pa.Table, second: pa.Table, drawing: Drawing
) -> Iterator[ComparisonRow]:
    """Yield the differences on paired scored events, over all and by slice of the first run."""
    who = column(first, USER)
    ids = who.unique()
    users, labels = positions(who, ids), floats(first, LABEL)
    drawn = resample(len(ids), drawing.resamples, drawing.seed)
    scores = [np.asarray(column(table, SCORE)) for table in (first, second)]

    def measured(mask: Bools) -> Metrics:
        events = Events(labels[mask], users[mask], len(ids), drawn)
        return _on_events(events, scores[0][mask], scores[1][mask])

    yield from _rows(task, measured, _parts(first), drawn, drawing)


def of_lists(
    task: str, first: pa.Table, second: pa.Table, drawing: Drawing
) -> Iterator[ComparisonRow]:
    """Yield the differences on paired queries, over all and by slice: queries with a target there.

    Queries are averaged within users, then over users.
    """
    who = column(first, USER)
    ids = who.unique()
    users = positions(who, ids)
    drawn = resample(len(ids), drawing.resamples, drawing.seed)
    names = [name for name in metrics_of(first) if name in second.column_names]
    values = {n: (floats(first, n), floats(second, n)) for n in names}

    def measured(mask: Bools) -> Metrics:
        found: Metrics = {}
        for name, both in values.items():
            metric, _, k = name.rpartition("@")
            left, right = (per_user(v[mask], users[mask], len(ids)) for v in both)
            found[metric, int(k)] = Pair(
                Measured.of(UserSums.mean(left), drawn),
                Measured.of(UserSums.mean(right), drawn),
                np.nan_to_num(right - left),
            )
        return found

    yield from _rows(task, measured, _parts(first), drawn, drawing)


def metrics_of(lists: pa.Table) -> list[str]:
    """Return the columns `<metric>@<k>` of the queries."""
    return [name for name in lists.column_names if "@" in name]


def _on_events(events: Events, first: Vector, second: Vector) -> Metrics:
    left, right = events.measure(first, 1), events.measure(second, 1)
    who = events.users, events.n_users
    areas = [gauc(events.labels, scores, *who).sums.numerators for scores in (first, second)]
    losses = [logloss_sums(events.labels, scores, *who).numerators for scores in (first, second)]
    gaps = {"gauc": areas[1] - areas[0], "logloss": losses[1] - losses[0]}
    gaps["normalized_entropy"] = gaps["logloss"]  # over the same entropy in both
    return {(name, None): Pair(left[name], right[name], gaps.get(name)) for name in COMPARED}


def _parts(table: pa.Table) -> dict[str, Bools]:
    """Return all rows, and the rows of each slice."""
    parts = {ALL: np.ones(len(table), bool)}
    slices = column(table, SLICES)
    names = slices.flatten()
    rows = np.repeat(np.arange(len(table)), np.asarray(pc.list_value_length(slices), np.int64))
    for name in sorted(names.unique().to_pylist()):
        mask = np.zeros(len(table), bool)
        mask[rows[np.asarray(pc.equal(names, name))]] = True
        parts[name] = mask
    return parts


def _rows(
    task: str,
    measured: Callable[[Bools], Metrics],
    parts: Mapping[str, Bools],
    drawn: Resamples,
    drawing: Drawing,
) -> Iterator[ComparisonRow]:
    found = {part: measured(mask) for part, mask in parts.items()}
    for metric, k in found[ALL]:
        rows = [
            _row(task, part, metric, k, metrics[metric, k], drawn, drawing)
            for part, metrics in found.items()
            if np.isfinite(metrics[metric, k].first.value)
        ]
        yield from (row for row in rows if row.slice == ALL)
        yield from _adjusted([row for row in rows if row.slice != ALL])


def _row(
    task: str,
    part: str,
    metric: str,
    k: int | None,
    pair: Pair,
    drawn: Resamples,
    drawing: Drawing,
) -> ComparisonRow:
    users, low, high, p = pair.first.users or 0, None, None, None
    if users > 1 and pair.first.draws is not None and pair.second.draws is not None:
        draws = pair.second.draws - pair.first.draws
        bounds = interval(draws)
        low, high, p = bounds.low, bounds.high, bootstrap_p(draws)
        if pair.gaps is not None:
            p = sign_flip_p(drawn.by_unit(pair.gaps), drawing.resamples, drawing.seed)
        p = None if np.isnan(p) else p
    return ComparisonRow(
        task=task,
        slice=part,
        metric=metric,
        k=k,
        first=pair.first.value,
        second=pair.second.value,
        difference=pair.second.value - pair.first.value,
        ci_low=low,
        ci_high=high,
        p=p,
        users=users,
    )


def _adjusted(rows: Sequence[ComparisonRow]) -> Iterator[ComparisonRow]:
    """Yield the rows with p-values adjusted for their number."""
    tested = [row for row in rows if row.p is not None]
    values = holm([row.p for row in tested if row.p is not None])
    adjusted = {row.slice: p for row, p in zip(tested, values, strict=True)}
    for row in rows:
        yield row.model_copy(update={"p": adjusted.get(row.slice)})
