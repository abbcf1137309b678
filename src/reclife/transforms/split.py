"""Divides the interactions into train, validation and test."""

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from reclife.config.features import GlobalTimeSplit, PredefinedSplit, Split
from reclife.contracts import ITEM, SPLIT, TIME, USER
from reclife.errors import DataError

PARTS = ("train", "validation", "test")
_DAY = 86_400
_BUCKETS = 1_000_000


class Cuts(NamedTuple):
    """Seconds at which validation and test begin; `None` where the split is not by time."""

    validation_start: int | None
    test_start: int | None


def divide(interactions: DataFrame, split: Split) -> tuple[DataFrame, Cuts]:
    """Return the interactions with a column `split`, and the cuts.

    Raises:
        DataError: A part would be empty, or the column holds other values than the three parts.
    """
    if split.kind == "global_time":
        cuts = time_cuts(interactions, split)
        validation, test = (sf.lit(cut) for cut in cuts)
        part = sf.when(sf.col(TIME) >= test, "test").when(sf.col(TIME) >= validation, "validation")
        return interactions.withColumn(SPLIT, part.otherwise("train")), cuts
    if split.kind == "hash":
        drawn = _drawn(interactions, split.seed)
        held = split.test + (1 - split.test) * split.validation
        part = sf.when(drawn < split.test, "test").when(drawn < held, "validation")
        return interactions.withColumn(SPLIT, part.otherwise("train")), Cuts(None, None)
    return _predefined(interactions, split), Cuts(None, None)


def time_cuts(interactions: DataFrame, split: GlobalTimeSplit) -> Cuts:
    """Return the cuts, found exactly from counts per day and then per second of one day."""
    day = sf.floor(sf.col(TIME) / _DAY).cast("bigint")
    days = _counts(interactions, day)
    total = sum(count for _, count in days)

    def time_at(rank: int) -> tuple[int, int]:
        """Return the time of the event at `rank` and how many events lie strictly before it."""
        number, earlier = _find(days, rank)
        second, within = _find(
            _counts(interactions.where(day == number), sf.col(TIME)), rank - earlier
        )
        return second, earlier + within

    test_start, before = time_at(int((1 - split.test) * total))
    if before == 0:
        raise DataError("split: no event lies before the test part; declare a smaller one")
    validation_start, before = time_at(int((1 - split.validation) * before))
    if before == 0:
        raise DataError("split: no event lies before the validation part; declare a smaller one")
    return Cuts(validation_start, test_start)


def _counts(frame: DataFrame, by: Column) -> list[tuple[int, int]]:
    """Return (value, rows) in the order of the value."""
    found = frame.groupBy(by.alias("value")).count().orderBy("value").collect()
    return [(row[0], row[1]) for row in found]


def _find(counts: list[tuple[int, int]], rank: int) -> tuple[int, int]:
    """Return the value of the row at `rank` and the rows of smaller values."""
    ends = list(accumulate(count for _, count in counts))
    index = bisect_right(ends, rank)
    value, count = counts[index]
    return value, ends[index] - count


def _predefined(interactions: DataFrame, split: PredefinedSplit) -> DataFrame:
    part = sf.col(split.column).cast("string")
    found = {row[0] for row in interactions.select(part).distinct().collect()}
    strange = sorted(map(str, found - set(PARTS)))
    if strange:
        raise DataError(
            f"split column {split.column!r} holds {', '.join(strange[:5])}; "
            f"allowed are {', '.join(PARTS)}"
        )
    if "validation" not in found:
        drawn = (part == "train") & (_drawn(interactions, split.seed) < split.validation)
        part = sf.when(drawn, "validation").otherwise(part)
    return interactions.withColumn(SPLIT, part)


def _drawn(interactions: DataFrame, seed: int) -> Column:
    """Return a number in [0, 1) per row, a hash of its ids and time."""
    keys = [name for name in (USER, ITEM, TIME) if name in interactions.columns]
    return sf.pmod(sf.xxhash64(*keys, sf.lit(seed)), sf.lit(_BUCKETS)) / _BUCKETS
