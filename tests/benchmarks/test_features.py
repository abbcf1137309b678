"""The feature benchmark's data and declaration are of the shape that it claims."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.benchmarks import features
from tests.benchmarks.click_log import write_click_log
from tests.benchmarks.features_job import declaration


def test_the_log_has_ties_a_hot_item_and_gaps(tmp_path: Path) -> None:
    write_click_log(tmp_path / "log.parquet", 20_000)
    log = pq.read_table(tmp_path / "log.parquet")
    assert log.num_columns == 5 + 8 + 13
    seconds = log["ts"].to_numpy()
    assert (np.diff(seconds) >= 0).all()
    pairs = np.stack([log["user_id"].to_numpy(), seconds])
    assert 0.18 < 1 - np.unique(pairs, axis=1).shape[1] / 20_000 < 0.22
    assert np.bincount(log["item_id"].to_numpy() - 5_000_000).max() > 0.05 * 20_000
    assert set(log["event"].to_pylist()) == {"view", "click", "buy"}
    assert [round(log[f"num{n}"].null_count / 20_000, 1) for n in (1, 10)] == [0.0, 0.3]
    write_click_log(tmp_path / "again.parquet", 20_000)
    assert pq.read_table(tmp_path / "again.parquet").equals(log)


def test_the_declaration_writes_49_columns_beside_id_and_time() -> None:
    outputs = [output for feature in declaration().features for output in feature.outputs]
    assert len(outputs) == len(set(outputs)) == 49


def test_programs_take_turns_and_the_missing_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Programs that only tell a time stand in for the real ones."""
    for name, seconds in (("ours", 2.0), ("features_pyspark.py", 5.0)):
        line = json.dumps({"seconds_median": seconds})
        (tmp_path / name).write_text(f"print('noise')\nprint({line!r})\n", encoding="utf-8")
    monkeypatch.setattr(features, "OURS", (str(tmp_path / "ours"),))
    monkeypatch.setattr(features, "ROWS", {"small": (100,)})
    monkeypatch.setattr(features, "find_spec", lambda name: name == "pyspark" or None)
    monkeypatch.setenv(features.FOLDER_VARIABLE, str(tmp_path))
    found = {line.name: (line.value, line.verdict) for line in features.measure("small")}
    assert "no polars, polars is not installed" in capsys.readouterr().err
    assert found["ours_100"] == (2.0, "-")
    assert found["spark_100"] == (5.0, "-")
    assert found["spark_to_ours_100"] == (2.5, "holds")
    monkeypatch.delenv(features.FOLDER_VARIABLE)
    assert [line.name for line in features.measure("small")] == ["ours_100"]
