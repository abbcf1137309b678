"""Negatives: requests with label 0 that are drawn, and the probability of each."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from reclife.config.negatives import Negatives, NoNegatives
from reclife.contracts import LABEL, SAMPLING_PROBABILITY, SPLIT, USER
from reclife.transforms.sampling.base import PART, TIE, Sampler
from reclife.transforms.sampling.from_impressions import from_impressions
from reclife.transforms.sampling.popularity import popularity
from reclife.transforms.sampling.same_category import same_category
from reclife.transforms.sampling.uniform import uniform

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SAMPLERS: Mapping[str, Callable[["DataFrame", "DataFrame", Any, Collection[str]], Sampler]] = {
    "uniform": uniform,
    "popularity": popularity,
    "same_category": same_category,
    "from_impressions": from_impressions,
}
"""Kind of negatives -> divided interactions, items, declaration and request columns to sampler."""


def with_negatives(
    divided: "DataFrame", items: "DataFrame", config: Negatives, request_columns: Collection[str]
) -> "DataFrame":
    """Return the examples among the divided interactions and, per user, their negatives.

    The column `sampling_probability` is 1 for real events.

    Args:
        divided: Canonical interactions with their part.
        items: Canonical items.
        config: The declaration; where it is `none`, the interactions come back as they are.
        request_columns: Columns of the interactions that features of the request read.
    """
    if isinstance(config, NoNegatives):
        return divided
    from pyspark.sql import functions as sf
    from pyspark.sql import types as st

    from reclife.transforms.engine.spark import by_key
    from reclife.transforms.split import PARTS

    sampler = SAMPLERS[config.kind](divided, items, config, request_columns)
    rank = sf.array_position(sf.array(*map(sf.lit, PARTS)), sf.col(SPLIT)) - 1
    ranked = divided.withColumn(TIE, sf.xxhash64("*")).withColumn(PART, rank)
    positives = ranked.where(f"{LABEL} > 0")
    written = st.StructType(
        [*ranked.schema.fields, st.StructField(SAMPLING_PROBABILITY, st.FloatType())]
    )
    drawn = by_key(positives, sampler.events(ranked), USER, sampler.draw, written)
    certain = sf.lit(1.0).cast("float")
    real = sampler.examples(divided).withColumn(SAMPLING_PROBABILITY, certain)
    return real.unionByName(drawn.drop(PART, TIE))
