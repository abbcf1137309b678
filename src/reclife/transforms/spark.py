"""The same features as `requests`, distributed: the same kernels over partitions of one key."""

from collections.abc import Callable, Collection, Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from reclife.contracts import ITEM, USER, Feature
from reclife.errors import DataError
from reclife.transforms.base import attached
from reclife.transforms.blocks import BLOCK, in_blocks
from reclife.transforms.plan import Pass, plan
from reclife.transforms.state import FeatureState

Kernel = Callable[[pa.Table, pa.Table], pa.Table]
"""(requests, events) of some keys -> their result."""

_EVENT = "_event_"
_IS_REQUEST = "_is_request"


def features_for_spark(
    requests: DataFrame,
    events: DataFrame,
    items: DataFrame,
    users: DataFrame,
    state: FeatureState,
    *,
    item_cut: int | None,
    names: Collection[str] | None = None,
) -> DataFrame:
    """Return `requests`, in any order, with the feature columns and then the counts behind them.

    Arguments and errors are those of `reclife.transforms.requests.features_for`, and so are the
    values, bit for bit, under any partitioning.
    """
    steps = plan(state, names)
    table = _attach(requests, items, users, steps.request_attributes, "the requests")
    if steps.looks_back:
        past = _attach(events, items, users, steps.event_attributes, "the events")
        past = past.select(*steps.event_columns)
    for step in steps.passes:
        if step.side == "row":
            table = table.mapInArrow(_row_by_row(step), _schema(table, step))
        elif step.side == "all":
            rows, seen, block_step = in_blocks(table, past, step, item_cut)
            kernel = _kernel(block_step, item_cut)
            table = by_key(rows, seen, BLOCK, kernel, _schema(rows, step)).drop(BLOCK)
        else:
            table = by_key(table, past, step.key, _kernel(step, item_cut), _schema(table, step))
    return table.select(*requests.columns, *steps.columns, *steps.counts)


def by_key(
    requests: DataFrame, events: DataFrame, key: str, kernel: Kernel, schema: st.StructType
) -> DataFrame:
    """Bring requests and events of the same key into the same partition and run `kernel` there.

    One shuffle. A partition must fit the memory of a Python worker.
    """
    mine = requests.select(sf.lit(True).alias(_IS_REQUEST), *map(_quoted, requests.columns))
    theirs = events.select(
        sf.lit(False).alias(_IS_REQUEST),
        key,
        *(sf.col(_quoted(name)).alias(_EVENT + name) for name in events.columns if name != key),
    )
    names = requests.columns, events.columns

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = list(batches)
        if not found:
            return
        both = pa.Table.from_batches(found)
        mine, theirs = both.filter(both[_IS_REQUEST]), both.filter(pc.invert(both[_IS_REQUEST]))
        theirs = theirs.select([key if name == key else _EVENT + name for name in names[1]])
        result = kernel(mine.select(names[0]), theirs.rename_columns(names[1]))
        yield from result.to_batches()

    parts = int(requests.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    together = mine.unionByName(theirs, allowMissingColumns=True).repartition(parts, key)
    return together.mapInArrow(run, _nullable(schema.fields))


def _kernel(step: Pass, cut: int | None) -> Kernel:
    return lambda requests, events: step.run(requests, events, cut)


def _row_by_row(step: Pass) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from step.run(pa.Table.from_batches([batch]), None, None).to_batches()

    return run


def _schema(table: DataFrame, step: Pass) -> st.StructType:
    written: list[st.StructField] = []
    for transform in step.transforms:
        written += map(_field, transform.features())
        written += [st.StructField(name, st.LongType()) for name in transform.counts]
    return _nullable([*table.schema.fields, *written])


def _nullable(fields: Iterable[st.StructField]) -> st.StructType:
    """Return a schema of nullable fields: what Arrow tables declare."""
    return st.StructType([st.StructField(field.name, field.dataType) for field in fields])


def _field(feature: Feature) -> st.StructField:
    scalar = st.LongType() if feature.dtype == "int64" else st.FloatType()
    return st.StructField(feature.name, st.ArrayType(scalar) if feature.shape else scalar)


def _attach(
    table: DataFrame,
    items: DataFrame,
    users: DataFrame,
    attributes: Collection[tuple[str, str]],
    what: str,
) -> DataFrame:
    absent = sorted(n for s, n in attributes if s == "interaction" and n not in table.columns)
    if absent:
        raise DataError(f"{what} lack the column(s) {absent}, which features read")
    for source, entity, key in (("item", items, ITEM), ("user", users, USER)):
        names = sorted(name for side, name in attributes if side == source)
        others = [name for name in names if name != key]
        if others:
            renamed = [sf.col(_quoted(name)).alias(attached(source, name)) for name in others]
            table = table.join(entity.select(key, *renamed), key, "left")
        if key in names:
            table = table.withColumn(attached(source, key), sf.col(key))
    return table


def _quoted(name: str) -> str:
    return f"`{name}`"
