"""Retrieval models: one file each, and the function that builds the declared one."""

from scipy import sparse

from reclife.config.neural import (
    BERT4RecConfig,
    BprMatrixFactorizationConfig,
    GSASRecConfig,
    LightGCNConfig,
    MatrixFactorizationConfig,
    NeuralSourceConfig,
    SASRecConfig,
    TwoTowerConfig,
)
from reclife.models.retrieval import bert4rec, lightgcn, matrix_factorization, sasrec, two_tower
from reclife.models.retrieval.model import RetrievalModel


def build(config: NeuralSourceConfig, matrix: sparse.csr_array) -> RetrievalModel:
    """Return the declared model over the users and items of `matrix` `[U, I]`."""
    (users, items), seed = matrix.shape, config.seed
    match config:
        case MatrixFactorizationConfig() | BprMatrixFactorizationConfig():
            return matrix_factorization.build(config, users, items, seed)
        case LightGCNConfig():
            return lightgcn.build(config, matrix, seed)
        case TwoTowerConfig():
            return two_tower.build(config, items, seed)
        case SASRecConfig() | GSASRecConfig():
            return sasrec.build(config, items, seed)
        case BERT4RecConfig():
            return bert4rec.build(config, items, seed)
