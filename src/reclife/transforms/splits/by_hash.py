"""`kind: hash`: parts drawn by a hash of user, item and time."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from reclife.config.splits import HashSplit
from reclife.contracts import SPLIT
from reclife.transforms.split import NO_CUTS, Cuts, drawn


def by_hash(interactions: DataFrame, split: HashSplit) -> tuple[DataFrame, Cuts]:
    """Return the interactions with a column `split`; events of equal ids and time stay together."""
    number = drawn(interactions, split.seed)
    held = split.test + (1 - split.test) * split.validation
    part = sf.when(number < split.test, "test").when(number < held, "validation")
    return interactions.withColumn(SPLIT, part.otherwise("train")), NO_CUTS
