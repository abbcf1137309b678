"""How the dense forward and backward pass is compiled."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import keras
import tensorflow as tf

from reclife.config.training import TrainingConfig
from reclife.errors import ConfigError
from reclife.models.ranking import RankingModel
from reclife.training.replicas import Replicas

Compile = Callable[[Callable[..., Any]], Callable[..., Any]]


def compiler(model: RankingModel, config: TrainingConfig, replicas: Replicas) -> Compile:
    """Return what compiles the pass, which has static shapes: by XLA where that is declared.

    Batch normalisation of several copies is made to use the statistics of the whole batch. The
    copies then talk within the pass, which can only be traced as part of the step.

    Raises:
        ConfigError: XLA is declared for a pass in which copies talk.
    """
    layers = list(_batch_normalizations(model)) if replicas.count > 1 else []
    for layer in layers:
        layer.synchronized = True
    if not layers:
        return partial(tf.function, autograph=False, jit_compile=config.xla)
    if config.xla:
        raise ConfigError(
            f"training.xla cannot compile batch normalisation over {replicas.count} copies of the "
            "model: declare xla: false, another normalization, or topology: {kind: local}."
        )
    return lambda gradients: gradients


def _batch_normalizations(model: RankingModel) -> Iterator[Any]:
    for layer in model.layers.values():
        for part in layer._flatten_layers():  # noqa: SLF001
            if isinstance(part, keras.layers.BatchNormalization):
                yield part
