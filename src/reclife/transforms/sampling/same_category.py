"""`kind: same_category`: items of the training part that share the positive's category."""

from collections.abc import Collection
from typing import TYPE_CHECKING, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.negatives import SameCategoryNegatives
from reclife.contracts import ITEM
from reclife.transforms.kernels.arrays import Ints, column, positions
from reclife.transforms.sampling.items import ItemSampler
from reclife.transforms.sampling.pool import Pool, training_items, weighted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def same_category(
    divided: "DataFrame",
    items: "DataFrame",
    config: SameCategoryNegatives,
    request_columns: Collection[str],
) -> ItemSampler:
    """Return the sampler; the items and their categories come to the driver, by two Spark jobs."""
    described = items.select(ITEM, config.column).toArrow()
    values = column(described, config.column)
    distinct = pc.unique(values.drop_null())
    categories = positions(values, distinct.take(pc.sort_indices(distinct)))
    pool, ranges = by_category(
        *training_items(divided), column(described, ITEM), categories, config
    )
    return ItemSampler(pool, ranges, config, request_columns)


@final
class CategoryRanges:
    """The part of the pool that holds the items of the positive's category.

    Args:
        described: Distinct items, those outside the training part included.
        categories: Number of each one's category, -1 for none.
        start: First place of each category, and behind them that of all positives without one.
        stop: The place behind the last one.
    """

    def __init__(self, described: pa.Array, categories: Ints, start: Ints, stop: Ints) -> None:
        self._described = described
        self._categories = np.append(categories, -1)
        self._start, self._stop = start, stop

    def of(self, items: pa.Array) -> tuple[Ints, Ints]:
        """Return the range of each item's category, [M]."""
        categories = self._categories[positions(items, self._described)]
        return self._start[categories], self._stop[categories]


def by_category(
    items: pa.Array,
    counts: Ints,
    described: pa.Array,
    categories: Ints,
    config: SameCategoryNegatives,
) -> tuple[Pool, CategoryRanges]:
    """Return the training items ordered by category, and where each category lies among them."""
    own = np.append(categories, -1)[positions(items, described)]
    order = np.argsort(own, kind="stable")
    numbers = np.arange(categories.max(initial=-1) + 1)
    start, stop = (np.searchsorted(own[order], numbers, side=side) for side in ("left", "right"))
    otherwise = len(items) if config.otherwise == "all_items" else 0
    few = stop - start < config.min_items
    start, stop = np.where(few, 0, start), np.where(few, otherwise, stop)
    ranges = CategoryRanges(described, categories, np.append(start, 0), np.append(stop, otherwise))
    return weighted(items.take(pa.array(order)), counts[order], config.alpha), ranges
