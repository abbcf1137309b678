"""The table of retrievers: kind -> fit."""

from reclife.config.retrieval import (
    DecayedPopularityConfig,
    EaseConfig,
    ItemKnnConfig,
    PopularityConfig,
    RetrieverConfig,
)
from reclife.retrieval import decayed_popularity, ease, item_knn, popularity
from reclife.retrieval.interactions import Interactions
from reclife.retrieval.retriever import Retriever


def fit(interactions: Interactions, config: RetrieverConfig) -> Retriever:
    """Fit the declared retriever."""
    match config:
        case PopularityConfig():
            return popularity.fit(interactions, config)
        case DecayedPopularityConfig():
            return decayed_popularity.fit(interactions, config)
        case ItemKnnConfig():
            return item_knn.fit(interactions, config)
        case EaseConfig():
            return ease.fit(interactions, config)
