"""What workers read of plain frames is what Spark reads; other frames are left to Spark."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = 1_000


def rows() -> pa.Table:
    draw = np.random.default_rng(3)
    hole = draw.random(ROWS) < 0.2
    numbers = np.where(draw.random(ROWS) < 0.1, np.nan, draw.normal(size=ROWS))
    return pa.table(
        {
            "number": pa.array(np.arange(ROWS)),
            "small": pa.array(draw.integers(0, 9, ROWS), pa.int32(), mask=hole),
            "real": pa.array(numbers, mask=hole),
            "float": pa.array(numbers.astype(np.float32)),
            "word": pa.array(draw.choice(["a", "b", "", "ü"], ROWS), mask=hole).dictionary_encode(),
            "sure": pa.array(draw.random(ROWS) < 0.5, mask=hole),
            "a name, with.dots": pa.array(draw.integers(0, 9, ROWS)),
            "list": pa.array([[n, None] if n % 3 else None for n in range(ROWS)]),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("a table, 100% plain")
    for number in range(3):
        part = rows().slice(400 * number, 400)
        pq.write_table(part, folder / f"part-{number}.parquet", row_group_size=150)
    return folder


PLAIN: dict[str, Callable[[Any], Any]] = {
    "all": lambda frame: frame,
    "selected and renamed": lambda frame: frame.select("list", "real").toDF("l", "r"),
    "a strange name": lambda frame: frame.where("`a name, with.dots` = 3"),
    "less": lambda frame: frame.where("number < 700 and small >= 4"),
    "or, not, null": lambda frame: frame.where("not (small > 4) or word is null"),
    "a column of comparison": lambda frame: frame.selectExpr(
        "number", "cast(word = 'a' as double) as label", "small <= 3 as few", "word is not null"
    ),
    "case": lambda frame: frame.selectExpr(
        "number",
        "case when small >= 6 then 'test' when small >= 3 then 'validation' else 'train' end part",
    ),
    "filtered by case": lambda frame: frame.selectExpr(
        "*",
        "case when small >= 6 then 'test' when small >= 3 then 'other' else 'train' end as part",
    ).where("part = 'test'"),
    "wider": lambda frame: frame.selectExpr(
        "cast(small as bigint)", "cast(float as double)", "cast(number as double) as n"
    ),
}
OTHER: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda frame: frame.selectExpr("number + 1"),
    "a number that may be NaN is compared": lambda frame: frame.where("real < 0.5"),
    "joined": lambda frame: frame.join(frame.select("number").distinct(), "number"),
    "some of them": lambda frame: frame.limit(10),
    "sorted": lambda frame: frame.orderBy("number"),
    "a moment": lambda frame: frame.selectExpr("timestamp_seconds(number) as at"),
    "a file's name": lambda frame: frame.selectExpr("number", "_metadata.file_name as name"),
}


@pytest.mark.parametrize("name", PLAIN)
def test_workers_read_what_spark_reads(spark: Any, folder: Path, name: str) -> None:
    from reclife.transforms.engine.scan import mapped, scan_of

    frame = PLAIN[name](spark.read.parquet(str(folder)))
    assert scan_of(frame) is not None
    found = mapped(frame, lambda batches: batches, frame.schema).toArrow()
    expected = frame.toArrow()
    assert found.num_rows > 0
    assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, expected.to_pylist()))


@pytest.mark.parametrize("name", OTHER)
def test_other_frames_are_left_to_spark(spark: Any, folder: Path, name: str) -> None:
    from reclife.transforms.engine.scan import scan_of

    assert scan_of(OTHER[name](spark.read.parquet(str(folder)))) is None


def test_what_does_not_lie_in_plain_files_is_left_to_spark(
    spark: Any, folder: Path, tmp_path: Path
) -> None:
    from reclife.transforms.engine.scan import scan_of

    table = spark.read.parquet(str(folder))
    table.write.partitionBy("sure").parquet(str(tmp_path / "divided"))
    assert scan_of(spark.read.parquet(str(tmp_path / "divided"))) is None
    table.select("number").write.csv(str(tmp_path / "csv"))
    assert scan_of(spark.read.csv(str(tmp_path / "csv"))) is None
    assert scan_of(spark.createDataFrame([(1,)], "number bigint")) is None
    table.select("number").write.parquet(str(tmp_path / "two"))
    table.select("small").write.mode("append").parquet(str(tmp_path / "two"))
    both = spark.read.option("mergeSchema", "true").parquet(str(tmp_path / "two"))
    assert scan_of(both) is None  # each file lacks a column
    kept = spark.read.parquet(str(folder)).where("number > 1").persist()
    assert scan_of(kept) is None
    kept.unpersist()


def test_row_groups_are_divided_into_tasks_of_like_size(spark: Any, folder: Path) -> None:
    from reclife.transforms.engine.scan import scan_of

    scan = scan_of(spark.read.parquet(str(folder)))
    assert scan is not None
    assert len(scan.tasks) == 2 * spark.sparkContext.defaultParallelism
    numbers = [
        [n for batch in scan.read(task) for n in batch["number"].to_pylist()]
        for task in range(len(scan.tasks))
    ]
    assert [n for task in numbers for n in task] == list(range(ROWS))
    assert min(map(len, numbers)) >= 150


def test_a_table_without_rows_has_none(spark: Any, tmp_path: Path) -> None:
    from reclife.transforms.engine.scan import mapped

    pq.write_table(rows().slice(0, 0), tmp_path / "empty.parquet")
    frame = spark.read.parquet(str(tmp_path))
    assert mapped(frame, lambda batches: batches, frame.schema).count() == 0
