"""The same features as `requests`, distributed: the same kernels over parts of one key."""

from collections.abc import Callable, Collection, Iterable
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from reclife.contracts import ITEM, TIME, USER, Feature
from reclife.errors import DataError
from reclife.transforms.base import attached
from reclife.transforms.engine.blocks import BLOCK, in_blocks
from reclife.transforms.engine.exchange import (
    Batches,
    Kernel,
    Step,
    by_keys,
    gathered,
    part_count,
)
from reclife.transforms.engine.hot_keys import hot_keys
from reclife.transforms.engine.plan import Pass, plan
from reclife.transforms.engine.scan import mapped
from reclife.transforms.engine.written import Ending, Into, returned, write
from reclife.transforms.state import FeatureState

Finish = Callable[[pa.Table], pa.Table]
"""What is done last, row by row."""


def features_for_spark(
    requests: DataFrame,
    events: DataFrame,
    items: DataFrame,
    users: DataFrame,
    state: FeatureState,
    *,
    item_cut: int | None,
    names: Collection[str] | None = None,
    kept: Collection[str] | None = None,
    into: Into | None = None,
) -> DataFrame:
    """Return `requests`, in any order, with the feature columns and then the counts behind them.

    Arguments and errors are those of `features_for` in `transforms.engine.requests`, and so are the
    values, bit for bit, under any partitioning. Where `events` is the same object as `requests`,
    each row travels once. `kept` are the columns of the requests to return, all by default. With
    `into`, everything is computed and written there first.
    """
    steps = plan(state, names)
    alike = events is requests
    attributes = steps.request_attributes | (steps.event_attributes if alike else frozenset())
    seen = list(steps.event_columns) if steps.looks_back else []
    output = [*(requests.columns if kept is None else kept), *steps.columns, *steps.counts]
    table = _attach(requests, items, users, attributes, "the requests")
    table = _needed(table, {*output, *(attached(*pair) for pair in attributes), *seen})
    past = table
    if steps.looks_back and not alike:
        past = _attach(events, items, users, steps.event_attributes, "the events").select(*seen)
    for step in steps.of("all"):
        table = _by_block(table, past.select(*seen), step, item_cut)
    looking, rowwise = steps.of("item", "user"), steps.of("row")
    schema = _schema(table, [*looking, *rowwise], output)
    finish = _finish(rowwise, output)
    hot = hot_keys(events, [step.key for step in looking], part_count(events))
    keyed = [Step(s.key, _kernel(s, item_cut), hot.get(s.key)) for s in looking]
    among = partial(_columns, names=seen) if alike else past

    def run(ending: Ending, schema: str | st.StructType) -> DataFrame:
        if not keyed:
            return mapped(table, _row_by_row(finish, ending), schema)
        steps = [*keyed[:-1], keyed[-1].then(finish)]
        return by_keys(table, among, steps, schema, ending)

    return run(returned, schema) if into is None else write(table.sparkSession, into, schema, run)


def by_key(
    requests: DataFrame, events: DataFrame, key: str, kernel: Kernel, schema: st.StructType
) -> DataFrame:
    """Bring requests and events of the same key into the same part and run `kernel` there."""
    return by_keys(requests, events, [Step(key, kernel)], _nullable(schema.fields))


def _by_block(table: DataFrame, past: DataFrame, step: Pass, cut: int | None) -> DataFrame:
    rows, seen, block_step = in_blocks(table, past, step, cut)
    schema = _schema(rows, [step], [*rows.columns, *_written([step])])
    return by_key(rows, seen, BLOCK, _kernel(block_step, cut), schema).drop(BLOCK)


def _kernel(step: Pass, cut: int | None) -> Kernel:
    return lambda requests, events: step.run(requests, events, cut)


def _finish(rowwise: Collection[Pass], output: list[str]) -> Finish:
    def finish(table: pa.Table) -> pa.Table:
        for step in rowwise:
            table = step.run(table, None, None)
        return table.select(output)

    return finish


def _row_by_row(finish: Finish, ending: Ending) -> Callable[[Batches], Batches]:
    return lambda batches: ending(map(finish, gathered(batches)))


def _columns(table: pa.Table, names: list[str]) -> pa.Table:
    return table.select(names)


def _needed(table: DataFrame, names: Collection[str]) -> DataFrame:
    return table.select(
        *(_quoted(name) for name in table.columns if name in {*names, USER, ITEM, TIME})
    )


def _schema(table: DataFrame, steps: Collection[Pass], output: list[str]) -> st.StructType:
    """Return the schema of the columns `output` of the table and of what the steps write."""
    fields = {field.name: field for field in table.schema.fields} | _written(steps)
    return _nullable(fields[name] for name in output)


def _written(steps: Collection[Pass]) -> dict[str, st.StructField]:
    transforms = [transform for step in steps for transform in step.transforms]
    fields = [_field(feature) for transform in transforms for feature in transform.features()]
    fields += [st.StructField(name, st.LongType()) for t in transforms for name in t.counts]
    return {field.name: field for field in fields}


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
        names = sorted(name for side, name in attributes if side == source and name != key)
        if names:
            renamed = [sf.col(_quoted(name)).alias(attached(source, name)) for name in names]
            table = table.join(entity.select(key, *renamed), key, "left")
    return table


def _quoted(name: str) -> str:
    return f"`{name}`"
