"""`kind: popularity`: items of the training part by a power of their number of events there."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from reclife.config.negatives import PopularityNegatives
from reclife.transforms.sampling.items import ItemSampler
from reclife.transforms.sampling.pool import AllItems, training_items, weighted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def popularity(
    divided: "DataFrame",
    items: "DataFrame",  # noqa: ARG001 - all kinds are made of the same
    config: PopularityNegatives,
    request_columns: Collection[str],
) -> ItemSampler:
    """Return the sampler, the items counted in one Spark job."""
    pool = weighted(*training_items(divided), alpha=config.alpha)
    return ItemSampler(pool, AllItems(pool), config, request_columns)
