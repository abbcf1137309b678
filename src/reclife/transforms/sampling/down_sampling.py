"""Keeps a share of the negative training rows."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from reclife.config.negatives import DownSampling
from reclife.contracts import LABEL, SPLIT
from reclife.transforms.split import drawn


def down_sample(examples: DataFrame, config: DownSampling) -> DataFrame:
    """Return the examples, of the training rows with label 0 a share chosen by their hash."""
    negative = (sf.col(SPLIT) == "train") & sf.coalesce(sf.col(LABEL) == 0, sf.lit(False))
    return examples.where(~negative | (drawn(examples, config.seed) < config.negatives))
