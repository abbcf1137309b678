"""Sources that are not what was declared: told in one sentence, never read into wrong columns."""

import logging
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.pipelines.test_ingest import CONFIG, ROWS, SCHEMA, run_stage

from reclife.cli import explain
from reclife.config.ingest import IngestConfig
from reclife.errors import DataError
from reclife.pipelines.ingest import nodes

IDS = {
    "user_id": {"from": "user", "type": "int64"},
    "item_id": {"from": "item", "type": "int64"},
}
SMALL = IngestConfig.model_validate(
    {"interactions": {"columns": IDS, "label": {"kind": "all_positive"}}}
)


def write(folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return str(folder)


def said(spark: Any, raw: Any, tmp_path: Path) -> str:
    """Return the sentence that a user gets for a source that cannot be read."""
    with pytest.raises(Exception) as error:  # noqa: PT011 - Spark's or ours: what is told counts
        run_stage(raw, SMALL, tmp_path / "days")
    return explain(error.value) or "a traceback"


def test_files_with_their_columns_in_another_order(spark: Any, tmp_path: Path) -> None:
    one = write(tmp_path, a="user,item\n1,10\n")
    alone = spark.read.csv(one, header=True)
    assert nodes.parse_interactions(alone, tmp_path, SMALL).count() == 1
    both = write(tmp_path, b="item,user\n20,2\n")
    assert "is 2 CSV files" in said(spark, spark.read.csv(both, header=True), tmp_path)
    compared = spark.read.csv(both, header=True, enforceSchema=False)
    told = said(spark, compared, tmp_path)
    assert told.startswith("The files of a source disagree: file:")
    assert told.endswith("b.csv has the columns item, user, another one user, item")


def test_parquet_files_of_other_types(spark: Any, tmp_path: Path) -> None:
    for name, user in (("a", pa.array([1])), ("b", pa.array(["2"]))):
        pq.write_table(pa.table({"user": user, "item": [10]}), tmp_path / f"{name}.parquet")
    told = said(spark, spark.read.parquet(str(tmp_path)), tmp_path)
    assert told.startswith("The files of a source disagree")
    assert "[user]" in told


def test_columns_that_differ_in_case_only(spark: Any, tmp_path: Path) -> None:
    raw = spark.createDataFrame([(1, 2, 3)], "user long, item long, User long")
    with pytest.raises(DataError, match=r"differ in case only \(User, user\)"):
        nodes.parse_interactions(raw, tmp_path, SMALL)


def test_a_source_without_a_usable_row(spark: Any, tmp_path: Path) -> None:
    raw = spark.createDataFrame([("x", "y")], "user string, item string")
    lenient = SMALL.model_copy(update={"max_quarantine_rate": 1.0})
    with pytest.raises(DataError, match="raw_interactions: none of the 1 rows can be used"):
        run_stage(raw, lenient, tmp_path)


def test_columns_without_a_value(spark: Any, tmp_path: Path) -> None:
    kept = {"from": "nothing", "type": "float64", "missing": "keep"}
    columns = {**IDS, "price": kept}
    declared = {"interactions": {"columns": columns, "label": {"kind": "all_positive"}}}
    raw = spark.createDataFrame([(2**53 + 1, 0, None)], "user long, item long, nothing void")
    found = run_stage(raw, IngestConfig.model_validate(declared), tmp_path)
    (row,) = found["interactions"].collect()
    assert row.asDict() == {"user_id": 2**53 + 1, "item_id": 0, "label": 1.0, "price": None}


def test_a_source_that_nothing_reads_is_told(
    spark: Any, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    raw = spark.createDataFrame(ROWS, SCHEMA)
    with caplog.at_level(logging.WARNING):
        declared = IngestConfig.model_validate(CONFIG)
        parsed = nodes.parse_interactions(raw, tmp_path, declared)
        nodes.parse_entities(parsed, raw, None, declared)
    assert "raw_items is in the catalog, but ingest.items reads nothing of it" in caplog.text
