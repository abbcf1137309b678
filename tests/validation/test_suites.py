"""One suite against one table: exact, complete, and alike in memory and on Spark."""

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from reclife.config.validation import SuiteConfig, read_suites
from reclife.contracts import EmbeddingTable, Feature, FeatureSpec
from reclife.errors import ConfigError
from reclife.validation.declarations import check_declarations
from reclife.validation.suite import judge, run_suite
from reclife.validation.tables import read

BIG = 2**53 + 1
SUITE = SuiteConfig.model_validate(
    {
        "min_rows": 2,
        "columns": {"id": "bigint", "score": "double", "tags": "array<bigint>"},
        "expectations": [
            {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "id"}},
            {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "score"}},
            {
                "type": "expect_column_values_to_be_between",
                "kwargs": {"column": "id", "max_value": BIG},
            },
        ],
        "foreign_keys": [{"column": "id", "table": "other", "key": "id"}],
    }
)
GOOD = {"id": [1, 2, BIG], "score": [0.1, 0.2, 0.3], "tags": [[1], [2, 3], []]}
BAD = {"id": [1, None, BIG + 1], "score": [0.1, np.nan, 0.3], "tags": [[1], [2, 3], []]}


def arrow(rows: dict[str, Any]) -> pa.Table:
    kinds = pa.schema([("id", pa.int64()), ("score", pa.float64()), ("tags", pa.list_(pa.int64()))])
    return pa.table(rows, schema=kinds)


def verdicts(data: Any, other: Any, most: int = 10) -> list[tuple[Any, ...]]:
    others = {"other": read("other", other, most)}
    found = run_suite(read("data", data, most), SUITE, others)
    assert len(found.outcomes) == found.declared == 8
    return [(o.expectation, o.column, o.success, o.unexpected_count) for o in found.outcomes]


def test_rows_are_judged_exactly() -> None:
    assert all(ok for _, _, ok, _ in verdicts(arrow(GOOD), arrow(GOOD)))
    bad = verdicts(arrow(BAD), arrow(GOOD))
    assert [one for one in bad if not one[2]] == [
        ("expect_column_values_to_not_be_null", "id", False, 1),
        ("expect_column_values_to_not_be_null", "score", False, 1),
        # 2**53 + 2 against 2**53 + 1: equal as floats, so an id never became one
        ("expect_column_values_to_be_between", "id", False, 1),
        ("foreign_key", "id", False, 1),
    ]


@pytest.mark.parametrize("rows", [GOOD, BAD], ids=["good", "bad"])
def test_spark_judges_like_memory(spark: Any, rows: dict[str, Any]) -> None:
    frame, other = spark.createDataFrame(arrow(rows)), spark.createDataFrame(arrow(GOOD))
    expected = verdicts(arrow(rows), arrow(GOOD))
    assert verdicts(frame, other) == expected
    assert verdicts(frame, other, most=1) == expected
    assert verdicts(frame, arrow(GOOD), most=1) == expected


def test_entries_of_lists_decide_whether_a_table_is_collected(spark: Any) -> None:
    """Two scalars of four rows and 2 + 0 + 3 entries, none of the null list: 13 values."""
    lists = pa.array([[1, 2], [], [3, None, 4], None], pa.list_(pa.int64()))
    frame = spark.createDataFrame(pa.table({"a.b": [1, 2, 3, 4], "c": ["x"] * 4, "d.e": lists}))
    assert read("data", frame, 13).arrow is not None
    table = read("data", frame, 12)
    assert table.arrow is None
    assert table.rows == 4
    assert read("data", frame.limit(0), 0).arrow is not None


def test_spark_counts_no_null_as_an_orphan(spark: Any) -> None:
    nulls = pa.table({"id": pa.array([None, 7], pa.int64())})
    suite = SuiteConfig.model_validate(
        {"foreign_keys": [{"column": "id", "table": "other", "key": "id"}]}
    )
    for limit in (1, 10):
        data = read("data", spark.createDataFrame(nulls), limit)
        other = read("other", spark.createDataFrame(nulls), limit)
        assert run_suite(data, suite, {"other": other}).success


SPEC = FeatureSpec(
    features=(
        Feature(name="item", role="item", kind="category", dtype="int64", table="item"),
        Feature(name="seen", role="user", kind="sequence", dtype="int64", shape=(2,), table="item"),
        Feature(name="rate", role="user", kind="numeric", dtype="float32"),
    ),
    tables=(EmbeddingTable(name="item", size=4, vocabulary_hash="h"),),
    state_hash="s",
)


@pytest.mark.parametrize("most", [1, 20])
@pytest.mark.parametrize(
    ("column", "values", "broken"),
    [
        ("item", [2, 3, 0], 0),
        ("item", [2, 4, -1], 2),
        ("item", [2, None, 3], 1),
        ("seen", [[0, 2], [4, 4], [1, -1]], 2),
        ("seen", [[0, 2], [1], None], 2),
        ("seen", [[0, 2], [1, None], [0, 0]], 1),
        ("rate", [0.5, float("nan"), float("-inf")], 2),
    ],
)
def test_feature_columns_follow_the_specification(
    spark: Any, most: int, column: str, values: list[Any], broken: int
) -> None:
    rows = {"item": [1, 2, 3], "seen": [[0, 0]] * 3, "rate": [0.0] * 3, column: values}
    kinds = pa.schema(
        [("item", pa.int64()), ("seen", pa.list_(pa.int64())), ("rate", pa.float32())]
    )
    table = pa.table(rows, schema=kinds).append_column("label", pa.array([0.0, 1.0, 1.0]))
    frame = spark.createDataFrame(table)
    found = run_suite(read("x", frame, most), SuiteConfig(features=True), {}, SPEC)
    features = [o for o in found.outcomes if o.expectation == "feature"]
    counts = {o.column: o.unexpected_count for o in features}
    assert counts == {"item": 0, "seen": 0, "rate": 0, column: broken}
    assert found.success == (broken == 0)


def test_an_expectation_that_raises_is_a_failure() -> None:
    suite = SuiteConfig.model_validate(
        {
            "expectations": [
                {"type": "expect_column_mean_to_be_between", "kwargs": {"column": "a"}},
                {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "zz"}},
            ]
        }
    )
    found = run_suite(read("x", pd.DataFrame({"a": ["u", "v"]})), suite, {})
    raised = [o for o in found.outcomes if o.exception]
    assert len(raised) == 2
    assert not any(o.success for o in raised)
    assert '"zz"' in str(raised[1].exception)


def test_what_was_not_evaluated_is_a_failure() -> None:
    table = read("x", pd.DataFrame({"a": [1]}))
    whole = run_suite(table, SuiteConfig(), {})
    assert judge(table, 1, list(whole.outcomes)).success
    part = judge(table, 2, list(whole.outcomes))
    assert not part.success
    assert part.outcomes[-1].observed == "1 were"


def test_an_expectation_that_the_engine_drops_is_a_failure(monkeypatch: Any) -> None:
    from great_expectations.core.expectation_suite import ExpectationSuite

    kept = ExpectationSuite.__init__

    def lossy(self: Any, name: str, expectations: Any = (), **rest: Any) -> None:
        kept(self, name=name, expectations=list(expectations or ())[1:], **rest)

    monkeypatch.setattr(ExpectationSuite, "__init__", lossy)
    found = run_suite(read("data", arrow(GOOD)), SUITE, {"other": read("other", arrow(GOOD))})
    assert not found.success
    assert found.outcomes[-1].expectation == "evaluated"


def test_mistakes_in_a_suite_are_listed_at_once() -> None:
    declared = {
        "a": {"expectations": [{"type": "expect_column_values_to_be_betwen"}]},
        "b": {
            "expectations": [
                {
                    "type": "expect_column_values_to_be_between",
                    "kwargs": {"column": "x", "min_valu": 1, "max_value": 2},
                }
            ]
        },
    }
    with pytest.raises(ConfigError) as caught:
        check_declarations(read_suites(declared))
    text = str(caught.value)
    assert "did you mean expect_column_values_to_be_between?" in text
    assert "min_valu" in text


def test_unknown_keys_of_a_suite_are_listed_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        read_suites({"a": {"min_row": 1}, "b": {"min_rows": 0}})
    assert "a: min_row" in str(caught.value)
    assert "b: min_rows" in str(caught.value)


def test_a_main_module_without_a_file_does_not_end_the_process() -> None:
    code = "from reclife.validation.engine import load_engine; print(load_engine().__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["great_expectations"]
