"""Labels and weights of examples: what a specification asks of them."""

from typing import Any

import pandas as pd
import pytest

from reclife.contracts import FeatureSpec, Task
from reclife.validation.tables import read
from reclife.validation.targets import check_targets

ONE = (Task(name="like", label="label"),)
TWO = (*ONE, Task(name="buy", label="label_buy"))


def spec(tasks: tuple[Task, ...], weight: str | None = None) -> FeatureSpec:
    return FeatureSpec(features=(), tables=(), tasks=tasks, weight=weight, state_hash="s")


@pytest.mark.parametrize("in_spark", [False, True])
@pytest.mark.parametrize(
    ("tasks", "column", "values", "bad"),
    [
        (ONE, "label", [0.0, 0.5, 1.0], 0),
        (ONE, "label", [0.0, None, 1.5], 2),
        (TWO, "label", [0.0, None, -0.5], 1),
        (TWO, "label_buy", [None, None, 1.0], 0),
        (ONE, "weight", [1.0, 0.5, 5.0], 0),
        (ONE, "weight", [0.0, None, float("inf")], 3),
    ],
)
def test_values_that_break_the_rule_are_counted(
    spark: Any,
    in_spark: bool,
    tasks: tuple[Task, ...],
    column: str,
    values: list[float | None],
    bad: int,
) -> None:
    sound = {"label": 1.0, "label_buy": 1.0, "weight": 1.0}
    rows = [{**sound, column: value} for value in values]
    data: Any = pd.DataFrame(rows).astype("Float64")
    if in_spark:
        schema = "label double, label_buy double, weight double"
        data = spark.createDataFrame([tuple(row.values()) for row in rows], schema)
    table = read("examples", data, most=0 if in_spark else 9)
    outcomes = {one.column: one for one in check_targets(table, spec(tasks, "weight"))}
    assert set(outcomes) == {task.label for task in tasks} | {"weight"}
    assert outcomes[column].unexpected_count == bad
    assert outcomes[column].success == (bad == 0)


def test_a_missing_column_and_one_of_texts_are_told() -> None:
    table = read("examples", pd.DataFrame({"label": ["yes"]}))
    label, weight = check_targets(table, spec(ONE, "weight"))
    assert (label.observed, weight.observed) == ("its type is string", "it is missing")
