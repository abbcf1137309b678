"""Fits any declared candidate source."""

from reclife.config.neural import NeuralConfig
from reclife.config.retrieval import SourceConfig
from reclife.retrieval import baselines
from reclife.retrieval.interactions import Interactions
from reclife.retrieval.retriever import Retriever


def fit(interactions: Interactions, config: SourceConfig) -> Retriever:
    """Fit by formula, or train; TensorFlow is imported for the latter alone.

    Raises:
        DataError: The source cannot hold this many items.
        TrainingError: The loss is not finite.
    """
    if isinstance(config, NeuralConfig):
        from reclife.training.retrieval.fit import train

        return train(interactions, config)
    return baselines.fit(interactions, config)
