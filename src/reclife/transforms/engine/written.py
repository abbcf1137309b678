"""Workers write Parquet themselves: a list that Spark never takes apart costs least.

Each task writes a file of its own into a folder beside the table's; once all have ended, the folder
takes the table's place. A table that is there is whole.
"""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as st
from pyspark.sql.pandas.types import to_arrow_schema

from reclife.errors import DataError

Batches = Iterator[pa.RecordBatch]
Ending = Callable[[Iterator[pa.Table]], Batches]
"""What a task's last tables become: the batches that Spark is given back."""

_RETURNED = 16_384
"""Rows of a batch that Spark is given back."""
_GROUP = 131_072
"""Rows of a row group."""
_TOLD = "file string"


class Into(NamedTuple):
    """Where a table is to lie, and its columns there by name: all by their own by default."""

    folder: str
    columns: Mapping[str, str] | None = None
    """Column of the features -> its name in the files."""


def scratch(spark: SparkSession) -> Into | None:
    """Return a place for a table that only this process reads; `None` with workers elsewhere."""
    if not (spark.sparkContext.master or "").startswith("local"):
        return None
    place = (spark.sparkContext.getConf().get("spark.local.dir") or "").partition(",")[0]
    folder = tempfile.mkdtemp(prefix="reclife-table-", dir=place or None)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Into(str(Path(folder, "table")))


def returned(tables: Iterator[pa.Table]) -> Batches:
    """Yield the rows in batches of Spark's liking."""
    for table in tables:
        yield from table.to_batches(max_chunksize=_RETURNED)


def write(
    spark: SparkSession,
    into: Into,
    schema: st.StructType,
    run: Callable[[Ending, str | st.StructType], DataFrame],
) -> DataFrame:
    """Write what `run` computes, replacing an earlier table; return it as it lies there.

    Args:
        spark: The session.
        into: Where to.
        schema: Of what is computed.
        run: Ending of each task, schema of what it returns -> their rows.

    Raises:
        DataError: Workers wrote to disks of their own.
    """
    columns = into.columns or {name: name for name in schema.names}
    target = _local(spark, into.folder)
    if target is None:
        quoted = [f"`{name}`" for name in columns]
        spread = run(returned, schema).select(*quoted).toDF(*columns.values())
        spread.write.mode("overwrite").parquet(into.folder)
        return spark.read.parquet(into.folder)
    fields = [st.StructField(there, schema[name].dataType) for name, there in columns.items()]
    renamed = st.StructType(fields)
    codec = spark.conf.get("spark.sql.parquet.compression.codec") or "zstd"
    beside = target.with_name(f".{target.name}.unfinished")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    arrow = to_arrow_schema(renamed)
    ending = partial(_write, columns=list(columns), folder=beside, schema=arrow, codec=codec)
    files = {row[0] for row in run(ending, _TOLD).collect()}
    found = {file.name for file in beside.iterdir()}
    if absent := files - found:
        raise DataError(
            f"{len(absent)} of {len(files)} files of {into.folder} are not on this machine: choose "
            "a folder that all workers share"
        )
    for name in found - files:
        (beside / name).unlink()  # of a task that was run twice
    if not files:
        pq.write_table(arrow.empty_table(), beside / "part-empty.parquet")
    (beside / "_SUCCESS").touch()
    _put(beside, target)
    return spark.read.schema(renamed).parquet(into.folder)


def _local(spark: SparkSession, folder: str) -> Path | None:
    """Return where a folder lies on this machine's file systems, `None` for elsewhere."""
    java: Any = spark._jvm  # noqa: SLF001 - no Python face
    place = java.org.apache.hadoop.fs.Path(folder)
    system = place.getFileSystem(spark._jsc.hadoopConfiguration())  # noqa: SLF001
    uri = system.makeQualified(place).toUri()
    return Path(uri.getPath()) if uri.getScheme() == "file" else None


def _put(beside: Path, target: Path) -> None:
    """Let a folder take the place of another."""
    if target.exists():
        old = target.with_name(f".{target.name}.replaced")
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
        beside.rename(target)
        shutil.rmtree(old)
    else:
        beside.rename(target)


def _write(
    tables: Iterator[pa.Table], columns: list[str], folder: Path, schema: pa.Schema, codec: str
) -> Batches:
    """Write a task's tables into one file and tell its name."""
    name = f"part-{uuid4().hex}.parquet"
    lists_and_ids = [field.name for field in schema if not pa.types.is_floating(field.type)]
    first = next(tables, None)
    if first is None:
        return
    with pq.ParquetWriter(
        folder / name, schema, compression=codec, use_dictionary=lists_and_ids, store_schema=False
    ) as file:
        for table in (first, *tables):
            named = table.select(columns).rename_columns(schema.names).cast(schema)
            file.write_table(named, row_group_size=_GROUP)
    yield pa.record_batch([pa.array([name])], names=["file"])
