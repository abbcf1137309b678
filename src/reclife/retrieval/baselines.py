"""The table of retrievers that need no training: kind -> fit."""

from reclife.config.retrieval import (
    DecayedPopularityConfig,
    EaseConfig,
    ItemKnnConfig,
    PopularityConfig,
    SourceConfig,
)
from reclife.errors import ConfigError
from reclife.retrieval import decayed_popularity, ease, item_knn, popularity
from reclife.retrieval.interactions import Interactions
from reclife.retrieval.retriever import Retriever


def fit(interactions: Interactions, config: SourceConfig) -> Retriever:
    """Fit the declared retriever by its formula.

    Raises:
        ConfigError: It has none: it is trained.
    """
    match config:
        case PopularityConfig():
            return popularity.fit(interactions, config)
        case DecayedPopularityConfig():
            return decayed_popularity.fit(interactions, config)
        case ItemKnnConfig():
            return item_knn.fit(interactions, config)
        case EaseConfig():
            return ease.fit(interactions, config)
        case _:
            raise ConfigError(f"Retriever {config.kind} is trained: declare it as the source.")
