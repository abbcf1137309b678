"""Workers read plain Parquet files themselves: a column that Spark never takes apart costs least.

A frame is plain if its plan only selects, renames, compares and filters columns of Parquet files
that lie on file systems of the workers. All others are Spark's to read; the rows are the same.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs
from pyspark.sql import DataFrame
from pyspark.sql import types as st
from pyspark.sql.pandas.types import to_arrow_schema

from reclife.transforms.engine.plain import NotPlain, plain_columns

Batches = Iterator[pa.RecordBatch]
Run = Callable[[Batches], Batches]
Groups = tuple[str, tuple[int, ...]]
"""A file and its row groups."""

_READ = 131_072
"""Rows that a worker reads at a time."""
_BYTES = 2**27
"""Bytes, as they lie in the files, that a task reads at most, unless a row group has more."""
_PER_CORE = 2
"""Tasks to a core, so that a core that is ready early has another."""
_KEPT = (st.LongType, st.IntegerType, st.ShortType, st.ByteType, st.DoubleType, st.FloatType)
"""Types that, beside texts and truth values, Spark and Arrow read alike."""


class Scan(NamedTuple):
    """Columns of Parquet files: each an expression over those of the files."""

    tasks: tuple[tuple[Groups, ...], ...]
    columns: Mapping[str, ds.Expression]
    where: ds.Expression | None
    schema: pa.Schema

    def read(self, task: int) -> Batches:
        """Yield the rows that one task reads."""
        read = ds.ParquetFileFormat()
        for file, groups in self.tasks[task]:
            fragment = read.make_fragment(file, fs.LocalFileSystem(), row_groups=groups)
            scanner = ds.Scanner.from_fragment(
                fragment,
                columns=dict(self.columns),
                filter=self.where,
                batch_size=_READ,
                batch_readahead=1,
                fragment_readahead=0,
                use_threads=False,
            )
            for batch in scanner.to_batches():
                yield batch.cast(self.schema)


def mapped(frame: DataFrame, run: Run, schema: str | st.StructType) -> DataFrame:
    """Return `frame.mapInArrow(run, schema)`, the rows of a plain frame read by the workers."""
    scan = scan_of(frame)
    if scan is None:
        return frame.mapInArrow(run, schema)

    def read(batches: Batches) -> Batches:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                yield from scan.read(task)

    count = len(scan.tasks)
    tasks = frame.sparkSession.range(0, count, 1, count)
    return tasks.mapInArrow(lambda batches: run(read(batches)), schema)


def scan_of(frame: DataFrame) -> Scan | None:
    """Return where the rows of a plain frame lie, `None` of any other."""
    if not all(_is_kept(field.dataType) for field in frame.schema.fields):
        return None
    plan: Any = frame._jdf.queryExecution().optimizedPlan()  # noqa: SLF001 - no Python face
    files = _files(plan)
    if not files:
        return None
    try:
        columns, where, read = plain_columns(json.loads(plan.toJSON()), frame.columns)
    except NotPlain:
        return None
    metadata = [pq.read_metadata(file) for file in files]
    if not all(read <= set(one.schema.to_arrow_schema().names) for one in metadata):
        return None
    groups = [
        (file, group, one.row_group(group).total_byte_size)
        for file, one in zip(files, metadata, strict=True)
        for group in range(one.num_row_groups)
    ]
    cores = frame.sparkSession.sparkContext.defaultParallelism
    return Scan(_tasks(groups, _PER_CORE * cores), columns, where, to_arrow_schema(frame.schema))


def _is_kept(kind: st.DataType) -> bool:
    plain = isinstance(kind, (*_KEPT, st.BooleanType)) or kind == st.StringType()
    return plain or (isinstance(kind, st.ArrayType) and _is_kept(kind.elementType))


def _files(plan: Any) -> list[str]:
    """Return the files of a plan's one source, none if it is not all of local Parquet files."""
    leaves = plan.collectLeaves()
    source = leaves.apply(0) if leaves.size() == 1 else None
    if source is None or source.getClass().getSimpleName() != "LogicalRelation":
        return []
    relation = source.relation()
    if relation.getClass().getSimpleName() != "HadoopFsRelation":
        return []
    if relation.fileFormat().toString() != "Parquet" or relation.partitionSchema().size():
        return []
    places = [urlsplit(uri) for uri in relation.location().inputFiles()]
    files = sorted(unquote(place.path) for place in places if place.scheme == "file")
    return files if len(files) == len(places) and all(Path(f).exists() for f in files) else []


def _tasks(groups: Collection[tuple[str, int, int]], least: int) -> tuple[tuple[Groups, ...], ...]:
    """Divide row groups, in their order, into tasks of about as many bytes each."""
    sizes = np.array([size for *_, size in groups], np.int64)
    count = min(max(least, -(-int(sizes.sum()) // _BYTES)), max(len(groups), 1))
    middle = np.cumsum(sizes) - sizes / 2
    task = (middle * count / max(int(sizes.sum()), 1)).astype(np.int64)
    ends = np.searchsorted(task, np.arange(count + 1))
    listed = list(groups)
    return tuple(_by_file(listed[a:b]) for a, b in pairwise(ends) if a < b)


def _by_file(groups: Collection[tuple[str, int, int]]) -> tuple[Groups, ...]:
    found: dict[str, list[int]] = {}
    for file, group, _ in groups:
        found.setdefault(file, []).append(group)
    return tuple((file, tuple(own)) for file, own in found.items())
