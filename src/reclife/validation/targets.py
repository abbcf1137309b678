"""Checks that the labels and weights of examples are what their specification says."""

from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from reclife.contracts import ExpectationOutcome, FeatureSpec
from reclife.validation.outcomes import EXAMPLES, counted, outcome
from reclife.validation.tables import Table


class Target(NamedTuple):
    """What a column of the examples must hold: finite numbers, from 0 to 1 or above 0."""

    column: str
    kind: Literal["label", "weight"]
    optional: bool

    @property
    def expected(self) -> str:
        """The rule in words."""
        words = "a label from 0 to 1" if self.kind == "label" else "a finite weight above 0"
        return f"{words}, or null" if self.optional else words


def targets(spec: FeatureSpec) -> list[Target]:
    """Return the labels and the weight; of several tasks some may be unknown for a row."""
    found = [Target(task.label, "label", len(spec.tasks) > 1) for task in spec.tasks]
    return found if spec.weight is None else [*found, Target(spec.weight, "weight", False)]


def check_targets(table: Table, spec: FeatureSpec) -> list[ExpectationOutcome]:
    """Return one outcome per label and one for the weights."""
    return [_check(table, target) for target in targets(spec)]


def _check(table: Table, target: Target) -> ExpectationOutcome:
    found = table.types.get(target.column)
    if found not in ("float", "double"):
        observed = f"its type is {found}" if found else "it is missing"
        return outcome("target", target.column, target.expected, False, observed)
    bad, examples = (_in_spark if table.arrow is None else _in_arrow)(table.data, target)
    return outcome(
        "target",
        target.column,
        target.expected,
        bad == 0,
        counted(bad, table.rows),
        unexpected=bad,
        examples=examples,
    )


def _in_arrow(table: pa.Table, target: Target) -> tuple[int, list[object]]:
    values = table[target.column].combine_chunks()
    if target.kind == "label":
        good = pc.and_(pc.greater_equal(values, 0), pc.less_equal(values, 1))
    else:
        good = pc.and_(pc.greater(values, 0), pc.is_finite(values))
    bad = pc.invert(pc.fill_null(good, target.optional))
    return pc.sum(bad).as_py() or 0, values.filter(bad)[:EXAMPLES].to_pylist()


def _in_spark(data: Any, target: Target) -> tuple[int, list[object]]:
    from pyspark.sql import functions as sf

    value = sf.col(target.column)
    weighs = (value > 0) & (value < float("inf"))  # Spark takes NaN as the largest number
    good = value.between(0, 1) if target.kind == "label" else weighs
    bad = data.where(~sf.coalesce(good, sf.lit(target.optional))).select(target.column)
    return bad.count(), [row[0] for row in bad.limit(EXAMPLES).collect()]
