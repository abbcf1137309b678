"""What moves everything but the embedding rows: Keras' optimisers, by kind."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import keras

from reclife.config.optimizers import (
    AdagradConfig,
    AdamConfig,
    AdamWConfig,
    DenseOptimizerConfig,
    SGDConfig,
)

Optimizer = Any


def build(config: DenseOptimizerConfig) -> Optimizer:
    """Return the optimiser that `config` declares."""
    return _BUILDERS[config.kind](config)


def _adam(config: AdamConfig) -> Optimizer:
    return keras.optimizers.Adam(config.learning_rate, config.beta_1, config.beta_2)


def _adamw(config: AdamWConfig) -> Optimizer:
    return keras.optimizers.AdamW(
        config.learning_rate, config.weight_decay, config.beta_1, config.beta_2
    )


def _adagrad(config: AdagradConfig) -> Optimizer:
    return keras.optimizers.Adagrad(config.learning_rate, config.initial_accumulator)


def _sgd(config: SGDConfig) -> Optimizer:
    return keras.optimizers.SGD(config.learning_rate, config.momentum)


_BUILDERS: Mapping[str, Callable[[Any], Optimizer]] = MappingProxyType(
    {"adam": _adam, "adamw": _adamw, "adagrad": _adagrad, "sgd": _sgd}
)
