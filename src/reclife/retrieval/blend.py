"""One order out of two scores."""

import numpy as np

from reclife.retrieval.interactions import Floats, Ints


def blend(query: Ints, candidate: Floats, model: Floats, weight: float) -> Floats:
    """Return `weight * model + (1 - weight) * candidate`, both standardised within the query.

    Args:
        query: `[N]` the query of each row, from 0.
        candidate: `[N]` scores of the candidate source.
        model: `[N]` scores of the ranking model.
        weight: The model's part; at 1 the model's own scores are returned, unscaled.
    """
    if weight == 1.0:
        return model
    first, second = _standardised(query, model), _standardised(query, candidate)
    return (weight * first + (1.0 - weight) * second).astype(np.float32)


def _standardised(query: Ints, values: Floats) -> np.ndarray:
    counts = np.maximum(np.bincount(query), 1)
    centred = values - (np.bincount(query, weights=values) / counts)[query]
    deviation = np.sqrt(np.bincount(query, weights=np.square(centred)) / counts)
    return centred / np.where(deviation > 0, deviation, 1.0)[query]
