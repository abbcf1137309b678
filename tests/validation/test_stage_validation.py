"""The closing check of a stage pairs tables with suites and reports everything at once."""

import re
from typing import Any

import pandas as pd
import pytest

from reclife.contracts import EvaluationRow
from reclife.errors import ConfigError, ValidationFailed
from reclife.validation.page import render
from reclife.validation.stage import SuitesFailed, validate_stage

FRAME = pd.DataFrame({"a": [1, 2, -3], "b": ["x", "<b>", "z"]})
NOT_NEGATIVE = {
    "type": "expect_column_values_to_be_between",
    "kwargs": {"column": "a", "min_value": 0},
}
UNIQUE = {"type": "expect_column_values_to_be_unique", "kwargs": {"column": "b"}}
SHORT = {
    "type": "expect_column_value_lengths_to_be_between",
    "kwargs": {"column": "b", "max_value": 1},
}


def suite(*expectations: Any, **more: Any) -> dict[str, Any]:
    return {"stage": "ingest", "expectations": list(expectations), **more}


def test_all_suites_are_evaluated_before_the_verdict() -> None:
    declared = {"one": suite(NOT_NEGATIVE, UNIQUE), "two": suite(SHORT), "three": suite(UNIQUE)}
    with pytest.raises(SuitesFailed) as caught:
        validate_stage("ingest", dict.fromkeys(declared, FRAME), declared, "r1")
    report = caught.value.report
    assert [s.success for s in report.suites] == [False, False, True]
    assert [len(s.outcomes) for s in report.suites] == [s.declared for s in report.suites]
    text = str(caught.value)
    assert (
        "one.a: expected values to be between (min_value 0); 1 of 3 rows break it, e.g. -3" in text
    )
    assert "two.b: " in text
    assert "three" not in text
    assert "data/08_reporting/runs/r1/validation/ingest.html" in text


def test_report_of_what_holds() -> None:
    report = validate_stage("ingest", {"one": FRAME}, {"one": suite(UNIQUE)}, "r1")
    assert (report.run_id, report.stage) == ("r1", "ingest")
    assert [(s.dataset, s.rows, s.declared, s.success) for s in report.suites] == [
        ("one", 3, 2, True)
    ]


def test_rows_of_a_report_are_a_table() -> None:
    rows = [
        EvaluationRow(
            model="m",
            task="like",
            split="test",
            slice="all",
            metric="auc",
            k=None,
            value=float("nan"),
            ci_low=None,
            ci_high=None,
            users=None,
        )
    ]
    finite = {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "value"}}
    declared = {"evaluation": {"stage": "evaluation", "expectations": [finite]}}
    with pytest.raises(ValidationFailed, match=r"evaluation\.value"):
        validate_stage("evaluation", {"evaluation": rows}, declared, "r1")


@pytest.mark.parametrize(
    ("tables", "declared", "message"),
    [
        (["one"], {}, r"write conf/base/expectations/one\.yml"),
        (["one"], {"one": {"stage": "scoring"}}, r"write conf/base/expectations/one\.yml"),
        (["one"], {"one": suite(), "two": suite()}, "two has a suite of stage ingest but"),
        ([], {"one": {"stage": "scoring"}}, "nothing would be validated"),
        (["one"], {"one": suite(), "two": {"stage": "ingst"}}, r"two: .*did you mean ingest\?"),
        (["one"], {"one": suite(features=True)}, "no feature specification"),
    ],
)
def test_tables_and_suites_are_paired(tables: Any, declared: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        validate_stage("ingest", dict.fromkeys(tables, FRAME), declared, "r1")


def test_cause_is_told_without_its_consequences() -> None:
    declared = {"one": suite(NOT_NEGATIVE, columns={"a": "bigint"})}
    with pytest.raises(SuitesFailed) as caught:
        validate_stage("ingest", {"one": FRAME[["b"]]}, declared, "r1")
    assert len([o for o in caught.value.report.suites[0].outcomes if not o.success]) == 2
    assert "1 expectation(s) did not hold" in str(caught.value)
    assert "one.a: expected a column of type bigint; it is missing (present: b)" in str(
        caught.value
    )


def test_page_shows_every_outcome_and_needs_no_network() -> None:
    declared = {"one": suite(NOT_NEGATIVE, SHORT)}
    with pytest.raises(SuitesFailed) as caught:
        validate_stage("ingest", {"one": FRAME}, declared, "run-7")
    page = render(caught.value.report)
    assert "run-7" in page
    assert "2 of 3 expectations failed" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert not re.search(r"(src|href)\s*=|https?://|@import|<script", page)
