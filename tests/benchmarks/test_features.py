"""The feature benchmark's data and declaration are of the shape that it claims."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.benchmarks import features, features_skew, features_zoo
from tests.benchmarks.click_log import write_click_log
from tests.benchmarks.features_job import declaration
from tests.benchmarks.spark_work import unevenness, work_of


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


def test_a_skewed_log_has_a_user_with_every_fifth_event(tmp_path: Path) -> None:
    item, user = features_skew.HOT_ITEM, features_skew.HOT_USER
    write_click_log(tmp_path / "log.parquet", 20_000, hot_item=item, hot_user=user)
    log = pq.read_table(tmp_path / "log.parquet", columns=["user_id", "item_id"])
    for name, share in (("user_id", user), ("item_id", item)):
        assert np.unique(log[name], return_counts=True)[1].max() / 20_000 > 0.95 * share
    assert features_skew.ROWS * features_skew.HOT_USER == 1_000_000


def _slowly(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        time.sleep(2.0 if 5 in batch["id"].to_pylist() else 0.1)
        yield batch


def test_the_slowest_task_is_held_against_the_median_one(spark: Any) -> None:
    before = work_of(spark)
    frame = spark.range(0, 8, 1, 8)
    frame.mapInArrow(_slowly, "id bigint").count()
    work = work_of(spark).since(before)
    assert work.stages >= 1
    assert unevenness(spark, work.stages) > 3


def test_the_declaration_writes_49_columns_beside_id_and_time() -> None:
    outputs = [output for feature in declaration().features for output in feature.outputs]
    assert len(outputs) == len(set(outputs)) == 49


def programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay out programs that only tell figures, in the places of the real ones."""
    told = {
        "ours": {"seconds_median": 2.0, "seconds_first": 3.0, "peak_rss_mb": 900, "shuffles": 3},
        "features_pyspark.py": {"seconds_median": 5.0, "seconds_first": 6.0, "peak_rss_mb": 4000},
    }
    for name, figures in told.items():
        line = json.dumps(figures)
        (folder / name).write_text(f"print('noise')\nprint({line!r})\n", encoding="utf-8")
    (folder / "check_equal.py").write_text("print('{}')\n", encoding="utf-8")
    monkeypatch.setattr(features, "OURS", (str(folder / "ours"),))
    monkeypatch.setattr(features, "ROWS", {"small": (100, 500)})
    monkeypatch.setattr(features, "find_spec", lambda name: name == "pyspark" or None)
    monkeypatch.setattr(features_zoo, "measure", lambda scale: [])
    monkeypatch.setattr(features_skew, "measure", list)
    monkeypatch.setenv(features.FOLDER_VARIABLE, str(folder))


def test_programs_take_turns_and_the_missing_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    programs(tmp_path, monkeypatch)
    found = {line.name: (line.value, line.verdict) for line in features.measure("small")}
    assert "no polars, polars is not installed" in capsys.readouterr().err
    assert found["ours_seconds_median_100"] == (2.0, "-")
    assert found["ours_peak_rss_mb_500"] == (900, "-")
    assert found["spark_seconds_first_100"] == (6.0, "-")
    assert found["spark_to_ours_500"] == (2.5, "holds")
    assert found["shuffles_100"] == (3, "-")
    assert found["growth_100_500"] == (1.0, "holds")
    monkeypatch.delenv(features.FOLDER_VARIABLE)
    assert not [line.name for line in features.measure("small") if "spark" in line.name]


def test_outputs_that_differ_end_the_benchmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(tmp_path, monkeypatch)
    (tmp_path / "check_equal.py").write_text("raise SystemExit(1)\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="the outputs of ours and spark differ"):
        features.measure("small")


def test_the_zoo_has_26_categories_13_numbers_two_sequences_and_six_windows() -> None:
    declared = dict(features_zoo.groups())
    assert len(declared["ids"]) + len(declared["category"]) == 26
    assert len(declared["number"]) == 13
    assert len(declared["sequence"]) == 2
    assert len({one["window"] for one in declared["window"]}) == 6
