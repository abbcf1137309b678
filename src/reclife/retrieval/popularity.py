"""Items by their number of events."""

import numpy as np

from reclife.config.retrieval import PopularityConfig
from reclife.retrieval.interactions import Interactions
from reclife.retrieval.retriever import FixedOrder


def fit(interactions: Interactions, config: PopularityConfig) -> FixedOrder:  # noqa: ARG001
    """Count each item's events."""
    counts = np.bincount(interactions.columns, minlength=len(interactions.index))
    return FixedOrder(interactions.index, counts.astype(np.float32))
