"""The items of the training part, to draw from, and where in them a positive draws."""

from typing import TYPE_CHECKING, NamedTuple, Protocol, final

import numpy as np
import pyarrow as pa

from reclife.contracts import ITEM, SPLIT
from reclife.transforms.kernels.arrays import Ints, column, ints
from reclife.transforms.sampling.draw import Weights

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Pool(NamedTuple):
    """Distinct items, [N], and their weights, what is drawn from together side by side."""

    items: pa.Array
    weights: Weights


class Ranges(Protocol):
    """Where in the pool the positives of each item draw."""

    def of(self, items: pa.Array) -> tuple[Ints, Ints]:
        """Return the range [start, stop) of each item, [M]; an empty one to draw nothing."""


@final
class AllItems:
    """The whole pool, whatever the positive."""

    def __init__(self, pool: Pool) -> None:
        self._size = len(pool.items)

    def of(self, items: pa.Array) -> tuple[Ints, Ints]:
        """Return [0, N) for each item."""
        start = np.zeros(len(items), np.int64)
        return start, start + self._size


def training_items(divided: "DataFrame") -> tuple[pa.Array, Ints]:
    """Return the distinct items of the training part, ordered by id, and their events."""
    train = divided.where(f"{SPLIT} = 'train'")
    found = train.groupBy(ITEM).count().orderBy(ITEM).toArrow()
    return column(found, ITEM), ints(found, "count")


def weighted(items: pa.Array, counts: Ints, alpha: float) -> Pool:
    """Return items with their counts to the power of alpha as weights."""
    return Pool(items, Weights(counts.astype(np.float64) ** alpha))
