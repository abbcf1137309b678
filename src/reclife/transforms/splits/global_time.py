"""`kind: global_time`: the newest events of all users are test, those before them validation."""

from bisect import bisect_right
from itertools import accumulate

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from reclife.config.splits import GlobalTimeSplit
from reclife.contracts import SPLIT, TIME
from reclife.errors import DataError
from reclife.transforms.labels import is_example
from reclife.transforms.split import Cuts

_DAY = 86_400


def global_time(interactions: DataFrame, split: GlobalTimeSplit) -> tuple[DataFrame, Cuts]:
    """Return the interactions with a column `split`, and the cuts; shares are of the examples.

    Raises:
        DataError: A part would be empty.
    """
    cuts = time_cuts(interactions.where(is_example(interactions.columns)), split)
    validation, test = (sf.lit(cut) for cut in cuts)
    part = sf.when(sf.col(TIME) >= test, "test").when(sf.col(TIME) >= validation, "validation")
    return interactions.withColumn(SPLIT, part.otherwise("train")), cuts


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
