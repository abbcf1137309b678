"""Ingest as a stage: good rows go on, bad ones aside, too many stop the run."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reclife.config.ingest import IngestConfig
from reclife.datasets.days import EarlierDays
from reclife.errors import DataError
from reclife.pipelines.ingest import nodes

Ingest = Callable[..., dict[str, Any]]
CONFIG: dict[str, Any] = {
    "interactions": {
        "columns": {
            "user_id": {"from": "user", "type": "int64"},
            "item_id": {"from": "item", "type": "string"},
            "rating": {"from": "stars", "type": "float64", "minimum": 1, "maximum": 5},
        },
        "time": {"from": "at", "format": "epoch_seconds"},
        "label": {"kind": "threshold", "column": "rating", "at_least": 4},
    },
    "items": {
        "source": "raw_interactions",
        "columns": {
            "item_id": {"from": "item", "type": "string"},
            "title": {"from": "name", "type": "string", "missing": "keep"},
            "year": {"from": "year", "type": "int64", "missing": "keep"},
        },
    },
    "max_quarantine_rate": 0.5,
}
SCHEMA = "user string, item string, stars string, at string, name string, year string"
ROWS = [
    ("9007199254740993", "007", "5", "10", "Seven", "1990"),
    ("1", "007", "3.5", "11", "Seven", "1990"),
    ("1", "7", "4", "11", None, ""),
    ("2", "007", "five", "12", "Seven", "1990"),
    ("", "7", "4", "13", "Other", "1"),
    ("2", "8", "4", "14", "Eight", "MCM"),
]


NOTHING_YET = EarlierDays(None, None, frozenset())


@pytest.fixture
def ingest(spark: Any, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def run(rows: list[tuple[Any, ...]], config: dict[str, Any]) -> dict[str, Any]:
        raw, declared = spark.createDataFrame(rows, SCHEMA), IngestConfig.model_validate(config)
        return run_stage(raw, declared, tmp_path)

    return run


def run_stage(
    raw: Any, declared: IngestConfig, folder: Path, earlier: EarlierDays = NOTHING_YET
) -> dict[str, Any]:
    write, raw = nodes.read_days(raw, earlier, declared)
    write(folder)
    parsed = nodes.parse_interactions(raw, folder, declared)
    entities = nodes.parse_entities(parsed, None, None, declared)
    quarantine, counts = nodes.set_aside(parsed, entities, folder, declared)
    interactions = nodes.keep_interactions(parsed, counts, declared)
    items, item_counts = nodes.build_items(entities, interactions, declared)
    users, user_counts = nodes.build_users(entities, interactions, declared)
    report = nodes.write_report(counts, item_counts, user_counts, interactions, folder, declared)
    frames = {"interactions": interactions, "items": items, "users": users}
    return {"report": report, "quarantine": quarantine, **frames}


def test_good_rows_go_on_and_bad_ones_aside(ingest: Ingest) -> None:
    found = ingest(ROWS, CONFIG)
    assert [row.asDict() for row in found["interactions"].collect()] == [
        {"user_id": 2**53 + 1, "item_id": "007", "rating": 5.0, "timestamp": 10, "label": 1.0},
        {"user_id": 1, "item_id": "007", "rating": 3.5, "timestamp": 11, "label": 0.0},
        {"user_id": 1, "item_id": "7", "rating": 4.0, "timestamp": 11, "label": 1.0},
        {"user_id": 2, "item_id": "8", "rating": 4.0, "timestamp": 14, "label": 1.0},
    ]
    assert [tuple(row) for row in found["items"].collect()] == [
        ("007", "Seven", 1990),
        ("7", None, None),
        ("8", None, None),
    ]
    assert [tuple(row) for row in found["users"].collect()] == [(1,), (2,), (2**53 + 1,)]
    aside = [(row["source"], row["reason"]) for row in found["quarantine"].collect()]
    assert aside == [
        ("interactions", "rating: not a number"),
        ("interactions", "user_id: missing"),
        ("items", "year: not a whole number"),
    ]
    rows = {row.table: row for row in found["report"].tables}
    assert (rows["interactions"].rows_in, rows["interactions"].rows_out) == (6, 4)
    assert rows["interactions"].quarantined == {"rating: not a number": 1, "user_id: missing": 1}
    assert (rows["items"].rows_in, rows["items"].rows_out, rows["items"].completed) == (4, 3, 1)
    assert rows["users"].rows_out == 3
    (label,) = found["report"].labels
    assert (label.task, label.column, label.delay, label.known) == ("like", "label", 0, 4)
    assert label.mean == 0.75


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS, r"2 of 6 rows break the declared contract \(33.3%, above .* 30.0%\): rating: not"),
        ([], "raw_interactions holds no row"),
    ],
)
def test_too_many_bad_rows_or_none_stop_the_run(
    ingest: Ingest, rows: list[tuple[Any, ...]], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        ingest(rows, {**CONFIG, "max_quarantine_rate": 0.3})


def test_a_declared_source_must_be_there(ingest: Ingest) -> None:
    items = {**CONFIG["items"], "source": "raw_items"}
    with pytest.raises(DataError, match="ingest declares raw_items"):
        ingest(ROWS, {**CONFIG, "items": items})


def test_dropped_duplicates_do_not_count(ingest: Ingest) -> None:
    rows = [("1", "a", "5", "10", "A", "1")] * 3
    interactions = {**CONFIG["interactions"], "duplicates": "drop"}
    found = ingest(rows, {**CONFIG, "interactions": interactions, "max_quarantine_rate": 0})
    assert found["interactions"].count() == 1
    assert found["quarantine"].count() == 2
    with pytest.raises(DataError, match="duplicate: 2 row"):
        ingest(rows, {**CONFIG, "max_quarantine_rate": 0})


def test_the_stage_touches_no_engine_when_imported() -> None:
    code = (
        "import sys; import reclife.pipelines.ingest.pipeline as i;"
        "import reclife.pipelines.features.pipeline as f;"
        "i.create_pipeline(); f.create_pipeline();"
        "print({'pyspark', 'tensorflow', 'great_expectations'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
