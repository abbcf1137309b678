"""Datasets of a run: written under its id, published without it."""

from pathlib import Path

import pyarrow as pa
import pytest
from kedro.io import DatasetError

from reclife.contracts import FeatureStats, Pointer
from reclife.datasets.absent import Absent
from reclife.datasets.arrow_table import ArrowTable
from reclife.datasets.bundle_folder import BundleFolder
from reclife.datasets.document import Document, Text
from reclife.datasets.folder import Folder, Workspace
from reclife.datasets.spark_table import SparkTable
from reclife.runtime.project import PROJECT_VARIABLE
from reclife.runtime.run import RUN_VARIABLE

STATS = FeatureStats(
    validation_start=1,
    test_start=2,
    leaking=False,
    label_mean=0.5,
    rows={"train": 3},
    base_rates={},
    oov_rates={},
    vocabularies={},
)


@pytest.fixture(autouse=True)
def run_r1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path))
    monkeypatch.setenv(RUN_VARIABLE, "r1")


def test_a_table_keeps_ids_beyond_2_to_the_53(tmp_path: Path) -> None:
    dataset = ArrowTable(path="data/t/run_id={run_id}", stage="ingest")
    table = pa.table({"user_id": pa.array([2**53 + 1, 2**63 - 1, 0], pa.int64())})
    dataset.save(table)
    assert (tmp_path / "data/t/run_id=r1/part-00000.parquet").exists()
    assert dataset.load().equals(table)


def test_spark_and_arrow_read_the_same_folder(spark: object) -> None:
    written = SparkTable(path="data/t/run_id={run_id}", stage="ingest")
    written.save(spark.createDataFrame([(2**53 + 1, "007")], "user_id long, item_id string"))
    read = ArrowTable(path="data/t/run_id={run_id}", stage="ingest").load()
    assert read.to_pylist() == [{"user_id": 2**53 + 1, "item_id": "007"}]
    assert written.load().count() == 1


def test_a_missing_table_names_the_remedy() -> None:
    with pytest.raises(DatasetError, match="run its stage again"):
        ArrowTable(path="data/t/run_id={run_id}", stage="ingest").load()


def test_a_document_is_typed_and_published_without_the_run(tmp_path: Path) -> None:
    dataset = Document(
        path="data/runs/{run_id}/s.json",
        stage="features",
        contract="FeatureStats",
        publish="data/s.json",
    )
    dataset.save(STATS)
    assert dataset.load() == STATS
    assert not (tmp_path / "data/s.json").exists()
    dataset.publish()
    assert FeatureStats.read(tmp_path / "data/s.json") == STATS


def test_an_earlier_attempt_leaves_nothing_in_a_folder(tmp_path: Path) -> None:
    dataset = Folder(path="data/m/run_id={run_id}", stage="training")
    dataset.save(lambda folder: (folder / "old").write_text("x") and None)
    dataset.save(lambda folder: (folder / "new").write_text("x") and None)
    assert [file.name for file in dataset.load().iterdir()] == ["new"]


def test_a_workspace_survives() -> None:
    dataset = Workspace(path="data/w/{run_id}", stage="training")
    (dataset.load() / "checkpoint").write_text("x")
    assert [file.name for file in dataset.load().iterdir()] == ["checkpoint"]


def test_text_round_trip() -> None:
    dataset = Text(path="data/{run_id}.html", stage="evaluation")
    dataset.save("<p>ü</p>")
    assert dataset.load() == "<p>ü</p>"


def test_an_absent_source_loads_as_none_and_refuses_to_be_written() -> None:
    assert Absent().load() is None
    with pytest.raises(DatasetError):
        Absent().save("x")


def bundle_of(folder: Path) -> None:
    (folder / "manifest.json").write_text("{}")


def test_a_run_reads_its_own_bundle_and_otherwise_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = BundleFolder(
        path="data/b/run_id={run_id}", stage="export", publish="data/current.json"
    )
    with pytest.raises(DatasetError, match="no bundle to score with"):
        dataset.load()
    dataset.save(bundle_of)
    dataset.publish()
    assert Pointer.read(tmp_path / "data/current.json").run_id == "r1"
    monkeypatch.setenv(RUN_VARIABLE, "r2")
    assert dataset.load() == tmp_path / "data/b/run_id=r1"
    dataset.save(lambda folder: (folder / "half").write_text("written") and None)
    assert dataset.load() == tmp_path / "data/b/run_id=r1"
    dataset.save(bundle_of)
    assert dataset.load() == tmp_path / "data/b/run_id=r2"
