"""What a split is: three parts of the interactions, and where they begin."""

from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from reclife.contracts import ITEM, TIME, USER

PARTS = ("train", "validation", "test")
_BUCKETS = 1_000_000


class Cuts(NamedTuple):
    """Seconds at which validation and test begin; `None` where the parts are not in this order."""

    validation_start: int | None
    test_start: int | None


NO_CUTS = Cuts(None, None)


def drawn(interactions: DataFrame, seed: int) -> Column:
    """Return a number in [0, 1) per row, a hash of its ids and time."""
    return sf.pmod(row_hash(interactions, seed), sf.lit(_BUCKETS)) / _BUCKETS


def row_hash(interactions: DataFrame, seed: int) -> Column:
    """Return 64 bits per row, a hash of its ids and time."""
    keys = [name for name in (USER, ITEM, TIME) if name in interactions.columns]
    return sf.xxhash64(*keys, sf.lit(seed))
