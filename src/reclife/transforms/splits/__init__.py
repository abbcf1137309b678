"""The splits: which events train, validate and test."""

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import DataFrame

from reclife.config.splits import Split
from reclife.transforms.split import Cuts
from reclife.transforms.splits.by_hash import by_hash
from reclife.transforms.splits.global_time import global_time
from reclife.transforms.splits.leave_last_out import leave_last_out
from reclife.transforms.splits.predefined import predefined

SPLITS: Mapping[str, Callable[[DataFrame, Any], tuple[DataFrame, Cuts]]] = {
    "global_time": global_time,
    "leave_last_out": leave_last_out,
    "hash": by_hash,
    "predefined": predefined,
}
"""Kind of split -> the interactions and its declaration to the same with a column `split`."""


def divide(interactions: DataFrame, split: Split) -> tuple[DataFrame, Cuts]:
    """Return the interactions with a column `split`, and the cuts.

    Raises:
        ConfigError: A column is not of the type that the split needs.
        DataError: A part would be empty, or rows belong to no part.
    """
    return SPLITS[split.kind](interactions, split)
