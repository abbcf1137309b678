"""The suite of a raw input inside Kedro's own catalog."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from kedro.io import DataCatalog
from kedro.validation import DataValidationError, ValidationConfigurationError

from reclife.contracts import ValidationReport
from reclife.validation.catalog import SuiteValidator

SUITE = """
{name}:
  columns: {{user: bigint, rating: double}}
  expectations:
    - type: expect_column_values_to_be_between
      kwargs: {{column: rating, min_value: 0, max_value: 5}}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "raw_events.yml"
    path.write_text(SUITE.format(name="raw_events"))
    return path


def load(tmp_path: Path, suite: Path, frame: pd.DataFrame) -> Any:
    frame.to_csv(tmp_path / "raw.csv", index=False)
    config = {
        "raw_events": {
            "type": "pandas.CSVDataset",
            "filepath": str(tmp_path / "raw.csv"),
            "validator": {
                "class": "reclife.validation.catalog.SuiteValidator",
                "on": ["load"],
                "options": {"path": str(suite)},
            },
        }
    }
    return DataCatalog.from_config(config).load("raw_events")


def test_good_data_come_through_unchanged(tmp_path: Path, suite: Path) -> None:
    frame = pd.DataFrame({"user": [1, 2], "rating": [0.5, 5.0]})
    pd.testing.assert_frame_equal(load(tmp_path, suite, frame), frame)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"user": [1], "rating": [9.5]}, "raw_events.rating: expected values to be between"),
        ({"user": [1], "rating": ["good"]}, "raw_events.rating: expected a column of type double"),
        ({"usr": [1], "rating": [1.5]}, "raw_events.user: expected a column of type bigint; it is"),
        ({"user": [], "rating": []}, "raw_events: expected at least 1 row(s); it is empty"),
    ],
)
def test_kedro_reports_what_is_wrong(
    tmp_path: Path, suite: Path, frame: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataValidationError) as caught:
        load(tmp_path, suite, pd.DataFrame(frame))
    assert caught.value.dataset_name == "raw_events"
    assert message in str(caught.value)
    assert len(caught.value.failures) == 1


def test_an_absent_source_passes(suite: Path) -> None:
    assert SuiteValidator(str(suite)).validate(None) is None


def test_a_suite_file_holds_its_own_suite(tmp_path: Path, suite: Path) -> None:
    suite.write_text(SUITE.format(name="other"))
    with pytest.raises(
        ValidationConfigurationError, match="must have one top-level key, raw_events"
    ):
        load(tmp_path, suite, pd.DataFrame({"user": [1], "rating": [1.0]}))


def test_during_a_run_the_outcome_is_kept_even_when_it_fails(
    tmp_path: Path, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECLIFE_PROJECT", str(tmp_path))
    monkeypatch.setenv("RECLIFE_RUN_ID", "r1")
    with pytest.raises(DataValidationError):
        load(tmp_path, suite, pd.DataFrame({"user": [1], "rating": [9.5]}))
    folder = tmp_path / "data/08_reporting/runs/r1/validation"
    report = ValidationReport.read(folder / "raw_events.json")
    assert [one.success for one in report.suites[0].outcomes].count(False) == 1
    assert "raw_events" in (folder / "raw_events.html").read_text(encoding="utf-8")
