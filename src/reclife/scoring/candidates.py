"""Histories of all users and the items retrieved for each, on Spark."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reclife.config.evaluation import SeenPolicy
from reclife.contracts import ITEM, TIME, USER
from reclife.retrieval.candidates import CandidateSource

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

HISTORY, COLD, RANK = "history", "cold", "candidate_rank"
CANDIDATE_SCORE, RETRIEVED = "candidate_score", "retrieved"
KEPT = (USER, ITEM, COLD, RANK, CANDIDATE_SCORE, RETRIEVED)
"""The columns of a candidate."""


def histories(users: "DataFrame", events: "DataFrame") -> "DataFrame":
    """Return `user_id, history` for every user: all items of its events, oldest first.

    Events of the same second are ordered by a hash, so that the order of the source, sorted by item
    perhaps, says nothing. A user without events has an empty history.
    """
    from pyspark.sql import functions as F  # noqa: N812

    time = F.col(TIME) if TIME in events.columns else F.lit(0).cast("bigint")
    event = F.struct(
        time.alias("time"), F.xxhash64(F.col(USER), F.col(ITEM)).alias("tie"), F.col(ITEM)
    )
    ordered = F.sort_array(F.collect_list(event))
    grouped = events.groupBy(USER).agg(ordered.getField(ITEM).alias(HISTORY))
    empty = F.array().cast(grouped.schema[HISTORY].dataType)
    joined = users.select(USER).distinct().join(grouped, USER, "left")
    return joined.withColumn(HISTORY, F.coalesce(F.col(HISTORY), empty))


def retrieve(
    history: "DataFrame", items: "DataFrame", folder: Path, count: int, seen: SeenPolicy
) -> "DataFrame":
    """Return up to `count` items for each user, unseen or any, as long as `items` lists them.

    Columns: `user_id, item_id, cold, candidate_rank, candidate_score, retrieved`; the last is false
    where the fallback filled in.
    """
    from pyspark.sql import types as T  # noqa: N812

    schema = T.StructType(
        [
            history.schema[USER],
            T.StructField(ITEM, items.schema[ITEM].dataType),
            T.StructField(COLD, T.BooleanType()),
            T.StructField(RANK, T.IntegerType()),
            T.StructField(CANDIDATE_SCORE, T.FloatType()),
            T.StructField(RETRIEVED, T.BooleanType()),
        ]
    )
    path, exclude_seen = str(folder.resolve()), seen == "mask"

    def batches(parts: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        for part in parts:
            yield from candidates_of(part, path, count, exclude_seen)

    return history.mapInArrow(batches, schema).join(
        items.select(ITEM).distinct(), ITEM, "left_semi"
    )


def candidates_of(
    batch: "pa.RecordBatch", folder: str, count: int, exclude_seen: bool
) -> "list[pa.RecordBatch]":
    """Return the candidates of a batch of `user_id, history`."""
    import pyarrow as pa

    found = _source(folder).top(
        batch.column(HISTORY), count, exclude_seen=exclude_seen, users=batch.column(USER)
    )
    query = found.column("query").combine_chunks()
    empty = np.asarray(batch.column(HISTORY).value_lengths()) == 0
    table = pa.table(
        {
            USER: batch.column(USER).take(query),
            ITEM: found.column(ITEM),
            COLD: empty[query.to_numpy()],
            RANK: found.column("rank"),
            CANDIDATE_SCORE: found.column("score"),
            RETRIEVED: found.column(RETRIEVED),
        }
    )
    return table.combine_chunks().to_batches()


@lru_cache(maxsize=2)
def _source(folder: str) -> CandidateSource:
    return CandidateSource.load(Path(folder))
