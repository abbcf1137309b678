"""Tables that workers write are whole or not there."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

TABLE = pa.table({"id": [1, 2, 3], "lists": [[1, 2], [3, 4], [5, 6]], "name": ["a", None, "c"]})
NAMES = {"lists": "lists", "id": "number"}


def computed(spark: Any, table: pa.Table, then: Callable[[pa.Table], pa.Table]) -> Any:
    """Return what runs `then` in each of two tasks of a table's rows."""

    def run(ending: Any, schema: Any) -> Any:
        def tables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
            yield from (then(pa.Table.from_batches([batch])) for batch in batches)

        frame = spark.createDataFrame(table).repartition(2)
        return frame.mapInArrow(lambda batches: ending(tables(batches)), schema)

    return run


def written(
    spark: Any,
    folder: str,
    table: pa.Table = TABLE,
    then: Callable[[pa.Table], pa.Table] = lambda table: table,
) -> Any:
    from reclife.transforms.engine.written import Into, write

    schema = spark.createDataFrame(table).schema
    return write(spark, Into(folder, NAMES), schema, computed(spark, table, then))


def rows(table: pa.Table) -> list[Any]:
    return table.sort_by("number").to_pylist()


EXPECTED = TABLE.select(list(NAMES)).rename_columns(["lists", "number"]).to_pylist()


def test_the_table_is_that_of_all_tasks(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "table"
    found = written(spark, str(folder))
    assert rows(found.toArrow()) == EXPECTED
    assert rows(pq.read_table(folder)) == EXPECTED
    assert spark.read.parquet(str(folder)).schema == found.schema  # as Spark would find it
    assert (folder / "_SUCCESS").exists()
    assert [path.name for path in folder.parent.iterdir()] == ["table"]
    (file, *_) = folder.glob("*.parquet")
    assert pq.read_metadata(file).row_group(0).column(0).compression == "SNAPPY"


def test_an_earlier_table_is_replaced(spark: Any, tmp_path: Path) -> None:
    written(spark, str(tmp_path / "table"))
    found = written(spark, str(tmp_path / "table"), TABLE.slice(1))
    assert rows(found.toArrow()) == EXPECTED[1:]
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_a_task_that_fails_leaves_the_earlier_table(spark: Any, tmp_path: Path) -> None:
    from pyspark.errors import PySparkException

    def fail(table: pa.Table) -> pa.Table:
        if 3 in table["id"].to_pylist():
            raise ValueError("no room")
        return table

    folder = tmp_path / "table"
    written(spark, str(folder))
    with pytest.raises(PySparkException, match="no room"):
        written(spark, str(folder), then=fail)
    assert rows(pq.read_table(folder)) == EXPECTED
    assert rows(written(spark, str(folder), TABLE.slice(2)).toArrow()) == EXPECTED[2:]
    assert [path.name for path in tmp_path.iterdir()] == ["table"]


def test_files_of_tasks_that_were_run_twice_are_left_out(spark: Any, tmp_path: Path) -> None:
    from reclife.transforms.engine.written import Into, write

    schema = spark.createDataFrame(TABLE).schema
    run = computed(spark, TABLE, lambda table: table)

    def twice(ending: Any, told: Any) -> Any:
        run(ending, told).collect()
        return run(ending, told)

    found = write(spark, Into(str(tmp_path / "table"), NAMES), schema, twice)
    assert rows(found.toArrow()) == EXPECTED


def test_files_that_lie_on_other_machines_are_missed(spark: Any, tmp_path: Path) -> None:
    from reclife.errors import DataError
    from reclife.transforms.engine.written import Into, write

    def elsewhere(ending: Any, told: Any) -> Any:
        del ending
        return spark.createDataFrame([("part-of-another-machine.parquet",)], told)

    schema = spark.createDataFrame(TABLE).schema
    with pytest.raises(DataError, match="choose a folder that all workers share"):
        write(spark, Into(str(tmp_path / "table"), NAMES), schema, elsewhere)
    assert not (tmp_path / "table").exists()


def test_a_table_without_rows_keeps_its_columns(spark: Any, tmp_path: Path) -> None:
    found = written(spark, str(tmp_path / "table"), TABLE.slice(0, 0))
    assert found.count() == 0
    assert pq.read_table(tmp_path / "table").column_names == ["lists", "number"]


def test_elsewhere_spark_writes(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reclife.transforms.engine import written as module

    monkeypatch.setattr(module, "_local", lambda *_: None)
    found = written(spark, str(tmp_path / "table"))
    assert rows(found.toArrow()) == EXPECTED
    assert pq.read_table(tmp_path / "table").column_names == ["lists", "number"]
