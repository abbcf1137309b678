"""Completion records: what may be read, and what is refused."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reclife.errors import ArtifactError
from reclife.runtime.ledger import Ledger
from reclife.runtime.project import PROJECT_VARIABLE
from reclife.runtime.records import find_record

HASHES = {"ingest": "a", "features": "b", "training": "c"}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path))
    folder = tmp_path / "data" / "table"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"x": [1, 2, 3]}), folder / "part-00000-abc.parquet")
    return folder


def close(run: str, stage: str, outputs: dict) -> Ledger:
    ledger = Ledger(run, [stage], HASHES)
    ledger.enter(stage)
    ledger.close(stage, outputs)
    return ledger


def test_a_finished_stage_vouches_for_what_it_wrote(table: Path) -> None:
    close("r1", "ingest", {"table": table})
    record = find_record("r1", "ingest")
    assert record is not None
    assert record.outputs["table"].rows == 3
    assert record.outputs["table"].files == 1
    reader = Ledger("r1", ["features"], HASHES)
    reader.read("features", "ingest", "table", table, "r1")
    reader.close("features", {})
    noted = find_record("r1", "features")
    assert noted is not None
    assert noted.inputs == {"ingest/table": record.outputs["table"].sha256}


def test_an_unfinished_stage_cannot_be_read(table: Path) -> None:
    with pytest.raises(ArtifactError, match="stage ingest of run r1 has not finished"):
        Ledger("r1", ["features"], HASHES).read("features", "ingest", "table", table, "r1")


def test_a_stage_that_starts_again_loses_its_record_first(table: Path) -> None:
    close("r1", "ingest", {"table": table})
    Ledger("r1", ["ingest"], HASHES)
    assert find_record("r1", "ingest") is None


@pytest.mark.parametrize("damage", ["cut", "missing", "extra"])
def test_what_changed_after_the_record_is_refused(table: Path, damage: str) -> None:
    close("r1", "ingest", {"table": table})
    file = next(table.iterdir())
    if damage == "cut":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif damage == "missing":
        file.unlink()
    else:
        pq.write_table(pa.table({"x": [4]}), table / "part-00001-abc.parquet")
    with pytest.raises(ArtifactError, match="data/table is missing or was changed"):
        Ledger("r1", ["features"], HASHES).read("features", "ingest", "table", table, "r1")


def test_the_random_name_of_a_part_does_not_count(table: Path) -> None:
    close("r1", "ingest", {"table": table})
    file = next(table.iterdir())
    file.rename(table / "part-00000-xyz.parquet")
    Ledger("r1", ["features"], HASHES).read("features", "ingest", "table", table, "r1")


def test_another_run_is_never_read_for_a_stage_of_this_one(table: Path) -> None:
    close("r1", "ingest", {"table": table})
    both = Ledger("r2", ["ingest", "features"], HASHES)
    with pytest.raises(ArtifactError, match="of run r2 has not finished"):
        both.read("features", "ingest", "table", table, "r1")


def test_a_stage_built_from_what_is_no_longer_there_is_out_of_date(
    table: Path, tmp_path: Path
) -> None:
    close("r1", "ingest", {"table": table})
    examples = tmp_path / "data" / "examples"
    examples.mkdir()
    pq.write_table(pa.table({"y": [1]}), examples / "part-00000.parquet")
    features = Ledger("r1", ["features"], HASHES)
    features.read("features", "ingest", "table", table, "r1")
    features.close("features", {"examples": examples})
    pq.write_table(pa.table({"x": [9]}), next(table.iterdir()))
    close("r1", "ingest", {"table": table})
    with pytest.raises(ArtifactError, match="Stage features of run r1 used another table"):
        Ledger("r1", ["training"], HASHES).read("training", "features", "examples", examples, "r1")
