"""Features of everybody's events, distributed: by blocks of time, so that no id is too many.

What whole blocks add up to is counted first; a request then needs the events of its own block.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from reclife.config.windows import Past, seconds_of
from reclife.contracts import ITEM, TIME, USER
from reclife.transforms.engine.plan import Pass
from reclife.transforms.kernels.arrays import Ints, ints
from reclife.transforms.target_encoding import Sums, TargetEncoding

BLOCK = "_block"
"""The column that requests and events are brought together by."""
_PER_PARTITION = 8
"""Blocks to a partition, so that partitions are alike although blocks are spread by a hash."""
_MOST_SUMS = 4_000_000
"""Pairs of an id and a block that the driver holds at most."""
_SUMS = "feature int, id bigint, block bigint, total bigint, rows bigint"


class InBlocks(NamedTuple):
    """Requests and events with the column `BLOCK`, and the pass for those of one block."""

    requests: DataFrame
    events: DataFrame
    step: Pass


def in_blocks(requests: DataFrame, events: DataFrame, step: Pass, cut: int | None) -> InBlocks:
    """Cut time into blocks of about as many events each; count what they add up to.

    Nobody sees an event from `cut` on. A request from then on needs no event of its own block, so
    that it may lie in any.
    """
    if cut is not None:
        events = events.where(sf.col(TIME) < cut)
    boundaries = _boundaries(events, step, cut)
    block = _block_of(sf.col(TIME), boundaries)
    if cut is not None:
        anywhere = sf.pmod(sf.hash(USER, ITEM), sf.lit(len(boundaries) + 1))
        block = sf.when(sf.col(TIME) >= cut, anywhere).otherwise(block)
    sums = _sums(events, step, boundaries)
    transforms = tuple(
        transform.after(boundaries, sums[number])
        for number, transform in enumerate(step.transforms)
        if isinstance(transform, TargetEncoding)
    )
    return InBlocks(
        requests.withColumn(BLOCK, block),
        events.withColumn(BLOCK, _block_of(_visible(step.past), boundaries)),
        step._replace(transforms=transforms),
    )


def _boundaries(events: DataFrame, step: Pass, cut: int | None) -> Ints:
    """Return the first second of each block but the first; the cut, if any, opens one."""
    parts = int(events.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    widest = max(t.size for t in step.transforms if isinstance(t, TargetEncoding))
    count = max(parts, min(_PER_PARTITION * parts, _MOST_SUMS // widest))
    shares = [rank / count for rank in range(1, count)]
    found = events.approxQuantile(TIME, shares, 0.1 / count) if shares else []
    opened = [] if cut is None else [cut]
    return np.unique(np.array([*found, *opened], np.int64))


def _visible(past: Past) -> Column:
    """Return what `visible_from` does, as a column."""
    visible = sf.col(TIME) + (seconds_of(past.delay) or 0)
    if past.available_from is None:
        return visible
    return sf.greatest(visible, sf.col(f"`{past.available_from}`").cast("bigint"))


def _block_of(time: Column, boundaries: Ints) -> Column:
    """Return how many boundaries are not after a time."""
    opened = sf.array(*(sf.lit(int(second)) for second in boundaries))
    return sf.size(sf.filter(opened, lambda second: second <= time)).cast("bigint")


def _sums(events: DataFrame, step: Pass, boundaries: Ints) -> list[Sums]:
    """Return for each transform what its blocks add up to."""
    transforms = [t for t in step.transforms if isinstance(t, TargetEncoding)]

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            table = pa.Table.from_batches([batch])
            for number, transform in enumerate(transforms):
                sums = transform.sums(table, step.past, boundaries)
                feature = pa.array(np.full(len(sums.ids), number, np.int32))
                names = ["feature", "id", "block", "total", "rows"]
                yield pa.RecordBatch.from_arrays([feature, *map(pa.array, sums)], names)

    added = (
        events.mapInArrow(run, _SUMS)
        .groupBy("feature", "id", "block")
        .agg(sf.sum("total").alias("total"), sf.sum("rows").alias("rows"))
        .toArrow()
    )
    columns = ["id", "block", "total", "rows"]
    rows = [added.filter(pc.equal(added["feature"], n)) for n in range(len(transforms))]
    return [Sums(*(ints(one, name) for name in columns)) for one in rows]
