"""Two runs on the same test events and lists: paired differences, and whether they are chance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.evaluated import LISTS
from reclife.contracts import ITEM, LABEL, TIME, USER, ComparisonReport, ComparisonRow
from reclife.errors import DataError
from reclife.evaluation import differences
from reclife.evaluation.differences import Drawing, metrics_of
from reclife.evaluation.events import COMPARED
from reclife.evaluation.lists import TARGETS
from reclife.evaluation.pairing import paired
from reclife.evaluation.rows import ALL
from reclife.transforms.kernels.arrays import floats

TASK = "task"
"""Column of the scored events: what is predicted."""


@final
@dataclass(frozen=True)
class Scored:
    """What a run left for comparisons.

    Attributes:
        run_id: The run.
        model: The kind of its model.
        events: Each test event with task, label, score and slices.
        lists: Each query with its targets, metrics and slices.
        drawn: Tasks whose negatives were drawn, not observed.
    """

    run_id: str
    model: str
    events: pa.Table
    lists: pa.Table
    drawn: frozenset[str]

    def of(self, task: str) -> pa.Table:
        """Return the events of a task, or the queries."""
        return (
            self.lists if task == LISTS else self.events.filter(pc.equal(self.events[TASK], task))
        )


def compare(first: Scored, second: Scored, drawing: Drawing) -> ComparisonReport:
    """Return how far `second` is above `first`, on the events and lists of both.

    Args:
        first: The run that differences start from.
        second: The run that is held against it.
        drawing: Of users and signs.

    Raises:
        DataError: The runs have no task, event or list in common, or were not asked the same.
    """
    found: list[ComparisonRow] = []
    left_out = [*_in_one_run(first, second)]
    sizes: list[dict[str, int]] = [{}, {}, {}]
    for task in _tasks(first, second):
        left, right = first.of(task), second.of(task)
        own, other = _common(task, left, right, task in first.drawn | second.drawn)
        for size, table in zip(sizes, (left, right, own), strict=True):
            size[task] = len(table)
        differ = differences.of_lists if task == LISTS else differences.of_events
        rows = [*differ(task, own, other, drawing)]
        left_out += _undefined(task, rows)
        found += rows
    return ComparisonReport(
        first=first.run_id,
        second=second.run_id,
        models=(first.model, second.model),
        rows_of_first=sizes[0],
        rows_of_second=sizes[1],
        common=sizes[2],
        rows=tuple(found),
        left_out=tuple(left_out),
    )


def _tasks(first: Scored, second: Scored) -> Iterator[str]:
    """Yield the tasks of both runs, the lists last."""
    theirs = set(second.events[TASK].unique().to_pylist())
    both = [task for task in first.events[TASK].unique().to_pylist() if task in theirs]
    yield from both
    if len(first.lists) and len(second.lists):
        both.append(LISTS)
        yield LISTS
    if not both:
        raise DataError(f"Runs {first.run_id} and {second.run_id} have no task in common.")


def _in_one_run(first: Scored, second: Scored) -> Iterator[str]:
    """Tell which tasks, and which metrics of both runs' lists, only one run has."""
    told = [("task", _names(first), _names(second))]
    if len(first.lists) and len(second.lists):
        told.append(("list metric", metrics_of(first.lists), metrics_of(second.lists)))
    for kind, *names in told:
        for run, own, others in zip((first, second), names, names[::-1], strict=True):
            if alone := [name for name in own if name not in others]:
                yield f"Run {run.run_id} alone has the {kind} {', '.join(alone)}."


def _names(run: Scored) -> list[str]:
    return [*run.events[TASK].unique().to_pylist(), *([LISTS] if len(run.lists) else [])]


def _undefined(task: str, rows: Sequence[ComparisonRow]) -> Iterator[str]:
    """Tell which metrics have no value on the common rows."""
    found = {row.metric for row in rows if row.slice == ALL}
    if task == LISTS:
        if not found:
            yield f"{task}: no metric is defined, or is in both runs."
    elif absent := [metric for metric in COMPARED if metric not in found]:
        yield f"{task}: {', '.join(absent)} not defined, as the common rows have one label only."


def _common(task: str, left: pa.Table, right: pa.Table, drawn: bool) -> tuple[pa.Table, pa.Table]:
    """Return the rows of both runs, and refuse those that were not asked the same."""
    names = (USER, TIME) if task == LISTS else (USER, ITEM, TIME)
    keys = [n for n in names if n in left.column_names and n in right.column_names]
    for key in keys:
        if left[key].type != right[key].type:
            raise DataError(
                f"{task}: {key} is {left[key].type} in the first run and {right[key].type} in the "
                "second; compare runs on one data set."
            )
    truth = TARGETS if task == LISTS else LABEL
    own, other = paired(left, right, keys, truth)
    if not len(own):
        raise DataError(f"{task}: the runs have no test rows in common; compare runs on one split.")
    if drawn and not len(own) == len(left) == len(right):
        raise DataError(
            f"{task}: the runs have other test rows ({len(own)} of {len(left)} and {len(right)} "
            "are the same); compare runs on one split whose negatives are drawn with the same "
            "declaration and seed."
        )
    unlike = int((floats(own, truth) != floats(other, truth)).sum())
    if unlike:
        what = "number of targets" if task == LISTS else "label"
        raise DataError(
            f"{task}: {unlike} of {len(own)} rows have another {what} in the second run; compare "
            "runs that declare labels, queries and seen alike."
        )
    return own, other
