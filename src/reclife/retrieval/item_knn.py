"""Cosine similarity between items, shrunk."""

import numpy as np

from reclife.config.retrieval import ItemKnnConfig
from reclife.retrieval.interactions import Floats, Interactions
from reclife.retrieval.pruning import pruned
from reclife.retrieval.retriever import Neighbours


def fit(interactions: Interactions, config: ItemKnnConfig) -> Neighbours:
    """Weigh items i and j by `c_ij / (sqrt(n_i n_j) + shrinkage)`.

    `n` counts an item's users and `c` the users who met both.
    """
    matrix = interactions.matrix
    by_item = matrix.T.tocsr()
    root = np.sqrt(matrix.sum(axis=0)).astype(np.float32)

    def columns(part: slice) -> Floats:
        together = (by_item[part] @ matrix).toarray()
        return together / (np.outer(root[part], root) + np.float32(config.shrinkage))

    weights = pruned(len(root), columns, config.neighbours)
    return Neighbours(interactions.index, weights, config.decay)
