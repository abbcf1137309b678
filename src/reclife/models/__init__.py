"""Ranking models: one file each, and the table that names them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from reclife.config.model import ModelConfig
from reclife.contracts import FeatureSpec
from reclife.models import deepfm, logistic_regression
from reclife.models.ranking import RankingModel

BUILDERS: Mapping[str, Callable[[Any, FeatureSpec, int], RankingModel]] = MappingProxyType(
    {
        "deepfm": deepfm.build,
        "logistic_regression": logistic_regression.build,
    }
)


def build(config: ModelConfig, spec: FeatureSpec, seed: int) -> RankingModel:
    """Return the model that `config` declares, with the initial weights that `seed` gives."""
    return BUILDERS[config.root.kind](config.root, spec, seed)
