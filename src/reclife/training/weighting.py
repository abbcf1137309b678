"""How much the loss of each task counts."""

import abc
from collections.abc import Sequence
from typing import Any, final

import keras
import tensorflow as tf

from reclife.config.objective import (
    DeclaredWeightsConfig,
    UncertaintyWeightsConfig,
    WeightingConfig,
)

Tensor = Any
Variable = Any


class Weighting(abc.ABC):
    """From the losses of the tasks to one number."""

    variables: list[Variable]
    """Keras variables that are learnt along."""

    @abc.abstractmethod
    def __call__(self, losses: Tensor) -> Tensor:
        """Return the scalar for `losses` `[T]`."""


@final
class Declared(Weighting):
    r""":math:`\sum_t w_t L_t` with declared weights."""

    def __init__(self, config: DeclaredWeightsConfig, tasks: Sequence[str]) -> None:
        self.variables = []
        self._weights = [config.weights.get(task, 1.0) for task in tasks]

    def __call__(self, losses: Tensor) -> Tensor:
        """Return the weighted sum."""
        return tf.reduce_sum(tf.constant(self._weights, losses.dtype) * losses)


@final
class Uncertainty(Weighting):
    r""":math:`\sum_t e^{-s_t} L_t + s_t / 2`, with :math:`s_t = \log \sigma_t^2` learnt from 0.

    Reference: Kendall, Gal, Cipolla, "Multi-Task Learning Using Uncertainty to Weigh Losses for
    Scene Geometry and Semantics", CVPR 2018, equation 10.
    """

    def __init__(self, tasks: Sequence[str]) -> None:
        zeros = keras.initializers.Zeros()
        self._log_variance = keras.Variable(zeros, shape=(len(tasks),), name="log_variance")
        self.variables = [self._log_variance]

    def __call__(self, losses: Tensor) -> Tensor:
        """Return the weighted sum and the price of being uncertain."""
        log_variance = self._log_variance.value
        return tf.reduce_sum(tf.exp(-log_variance) * losses + log_variance / 2)


def build(config: WeightingConfig, tasks: Sequence[str]) -> Weighting:
    """Return the declared weighting of `tasks`."""
    if isinstance(config, UncertaintyWeightsConfig):
        return Uncertainty(tasks)
    return Declared(config, tasks)
