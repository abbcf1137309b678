"""Embedding tables in training: only the rows of the batch are read and written."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from reclife.config.optimizers import SparseOptimizerConfig
from reclife.training.sparse.adagrad import Adagrad
from reclife.training.sparse.ftrl import FTRL
from reclife.training.sparse.lazy_adam import LazyAdam
from reclife.training.sparse.optimizer import SparseOptimizer
from reclife.training.sparse.row_wise_adagrad import RowWiseAdagrad
from reclife.training.sparse.sgd import SGD

OPTIMIZERS: Mapping[str, Callable[[Any, Mapping[str, Any]], SparseOptimizer]] = MappingProxyType(
    {
        "adagrad": Adagrad,
        "row_wise_adagrad": RowWiseAdagrad,
        "lazy_adam": LazyAdam,
        "ftrl": FTRL,
        "sgd": SGD,
    }
)


def build(config: SparseOptimizerConfig, tables: Mapping[str, Any]) -> SparseOptimizer:
    """Return the declared optimiser for `tables`, variables `[V, D]` by name."""
    return OPTIMIZERS[config.kind](config, tables)
