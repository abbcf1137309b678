"""Items by their number of events, recent events counting more."""

import numpy as np

from reclife.config.retrieval import DecayedPopularityConfig
from reclife.retrieval.interactions import Interactions
from reclife.retrieval.retriever import FixedOrder

DAY = 86_400


def fit(interactions: Interactions, config: DecayedPopularityConfig) -> FixedOrder:
    """Sum `0.5 ** (age / half-life)` over each item's events; the newest event has age 0.

    On data without time every event weighs 1.
    """
    times = interactions.times
    if times is None:
        weights = np.ones(len(interactions.columns))
    else:
        weights = np.exp2((times - times.max()) / (config.half_life_days * DAY))
    items = len(interactions.index)
    sums = np.bincount(interactions.columns, weights=weights, minlength=items)
    return FixedOrder(interactions.index, sums.astype(np.float32))
