"""`kind: leave_last_out`: of each user the last event is test, the one before it validation."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf
from pyspark.sql import types as st

from reclife.config.splits import LeaveLastOutSplit
from reclife.contracts import SPLIT, USER
from reclife.errors import ConfigError, DataError
from reclife.transforms.labels import is_example
from reclife.transforms.split import NO_CUTS, Cuts, row_hash


def leave_last_out(interactions: DataFrame, split: LeaveLastOutSplit) -> tuple[DataFrame, Cuts]:
    """Return the interactions with a column `split`, by one shuffle; only examples are counted.

    Events of one moment are ordered by a hash of ids and time, and those of equal ids and time by
    one of the whole row: what is then still equal is the same row.

    Raises:
        ConfigError: The column to order by holds no numbers.
        DataError: It is missing in some rows, or no user has enough events.
    """
    _check_order(interactions, split)
    example = is_example(interactions.columns)
    owner = Window.partitionBy(USER, example)
    ranked = owner.orderBy(
        sf.col(split.by).desc(), row_hash(interactions, split.seed), sf.xxhash64("*")
    )
    held = example & (sf.count("*").over(owner) >= split.min_events)
    place = sf.row_number().over(ranked)
    part = sf.when(held & (place == 1), "test").when(held & (place == 2), "validation")
    return interactions.withColumn(SPLIT, part.otherwise("train")), NO_CUTS


def _check_order(interactions: DataFrame, split: LeaveLastOutSplit) -> None:
    kind = interactions.schema[split.by].dataType
    if not isinstance(kind, st.NumericType):
        raise ConfigError(
            f"split.by: column {split.by!r} is {kind.simpleString()}; a number orders events"
        )
    found = (
        interactions.where(is_example(interactions.columns))
        .groupBy(USER)
        .agg(sf.count("*").alias("events"), sf.count_if(sf.col(split.by).isNull()).alias("missing"))
        .agg(sf.sum("missing"), sf.max("events"))
        .first()
    )
    missing, longest = found or (0, 0)
    if missing:
        raise DataError(
            f"split.by: column {split.by!r} of the interactions is missing in {missing} row(s), "
            "which have no place in their user's order; set them aside in ingest"
        )
    if (longest or 0) < split.min_events:
        raise DataError(
            f"split: no user has {split.min_events} events, so validation and test would be empty; "
            "use another split"
        )
