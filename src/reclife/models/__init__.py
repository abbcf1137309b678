"""Ranking models: one file each, and the table that names them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import tensorflow as tf

from reclife.config.model import ModelConfig
from reclife.contracts import FeatureSpec
from reclife.errors import ConfigError
from reclife.models import (
    autoint,
    blocks,
    bst,
    custom,
    dcn_v2,
    deepfm,
    din,
    esmm,
    fm,
    logistic_regression,
    mmoe,
    ple,
    shared_bottom,
    sim,
    wide_and_deep,
    xdeepfm,
)
from reclife.models.own_tables import with_own_tables
from reclife.models.ranking import RankingModel

BUILDERS: Mapping[str, Callable[[Any, FeatureSpec, int], RankingModel]] = MappingProxyType(
    {
        "logistic_regression": logistic_regression.build,
        "fm": fm.build,
        "wide_and_deep": wide_and_deep.build,
        "deepfm": deepfm.build,
        "xdeepfm": xdeepfm.build,
        "dcn_v2": dcn_v2.build,
        "autoint": autoint.build,
        "din": din.build,
        "sim": sim.build,
        "bst": bst.build,
        "shared_bottom": shared_bottom.build,
        "mmoe": mmoe.build,
        "ple": ple.build,
        "esmm": esmm.build,
        "blocks": blocks.build,
        "custom": custom.build,
    }
)


def build(config: ModelConfig, spec: FeatureSpec, seed: int) -> RankingModel:
    """Return the model that `config` declares, with the initial weights that `seed` gives.

    Raises:
        ConfigError: It does not fit the specification, or its weights not into memory.
    """
    kind = config.root.kind
    try:
        model = BUILDERS[kind](config.root, spec, seed)
        return with_own_tables(model, config.root, spec, seed)
    except (MemoryError, tf.errors.ResourceExhaustedError) as error:
        raise ConfigError(
            f"training.model: the weights of {kind} do not fit into memory: declare smaller "
            "lengths and widths, or fewer values of the features with the largest tables."
        ) from error
