"""Mixed precision: layers compute in half the bits, everything that must not stays in float32.

Weights, embedding rows, the loss, softmaxes and the statistics of a batch are float32 throughout.

Reference: Micikevicius et al., "Mixed Precision Training", ICLR 2018.
"""

import abc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, final

import keras
import tensorflow as tf

from reclife.config.model import ModelConfig
from reclife.config.precision import Float16Config, PrecisionConfig
from reclife.contracts import FeatureSpec
from reclife.models import build
from reclife.models.ranking import RankingModel
from reclife.training.wrapped import Wrapped

Tensor = Any
Variable = Any

_GROWTH = 2.0


def build_model(
    config: ModelConfig, spec: FeatureSpec, seed: int, precision: PrecisionConfig
) -> RankingModel:
    """Return the declared model, whose layers compute in the declared precision.

    Its weights are float32 and those that `build` gives; so are the results of its layers.
    """
    if precision.kind == "float32":
        return build(config, spec, seed)
    with _policy(f"mixed_{precision.kind}"):
        model = build(config, spec, seed)
    model.layers = {name: Float32Result(layer) for name, layer in model.layers.items()}
    return model


@contextmanager
def _policy(name: str) -> Iterator[None]:
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


@final
class Float32Result(Wrapped):
    """A layer whose result is float32, whatever it computes in."""

    def __call__(self, *inputs: Any, **options: Any) -> Tensor:
        """Return what the layer gives."""
        return tf.cast(self.layer(*inputs, **options), tf.float32)


class LossScaling(abc.ABC):
    """Keeps gradients within the range of the numbers they are computed in."""

    @abc.abstractmethod
    def scaled(self, loss: Tensor) -> Tensor:
        """Return what is differentiated instead of `loss`."""

    @abc.abstractmethod
    def unscaled(self, gradient: Tensor) -> Tensor:
        """Return the gradient of the loss from that of the scaled one."""

    @abc.abstractmethod
    def apply(self, norm: Tensor, update: Callable[[], None]) -> Tensor:
        """Do `update`, unless the gradient overflowed because the loss was scaled.

        Args:
            norm: Of the whole gradient, unscaled.
            update: Moves the weights.

        Returns:
            `norm`, or 0 where the update was left out.
        """

    @abc.abstractmethod
    def variables(self) -> Mapping[str, Variable]:
        """Return what a resume needs, by name."""


@final
class NoScaling(LossScaling):
    """For numbers with the range of float32."""

    def scaled(self, loss: Tensor) -> Tensor:
        """Return `loss`."""
        return loss

    def unscaled(self, gradient: Tensor) -> Tensor:
        """Return `gradient`."""
        return gradient

    def apply(self, norm: Tensor, update: Callable[[], None]) -> Tensor:
        """Do `update`."""
        update()
        return norm

    def variables(self) -> Mapping[str, Variable]:
        """Return nothing."""
        return {}


@final
class DynamicScaling(LossScaling):
    """Halves the scale at an overflow and doubles it after `growth_steps` steps without one.

    At scale 1 there is nothing left to halve: a gradient that is not finite is then reported.
    """

    def __init__(self, config: Float16Config) -> None:
        self._growth_steps = config.growth_steps
        self._scale = tf.Variable(config.initial_scale, dtype=tf.float32, trainable=False)
        self._good = tf.Variable(0, dtype=tf.int64, trainable=False)

    def scaled(self, loss: Tensor) -> Tensor:
        """Return `loss` times the scale."""
        return loss * self._scale

    def unscaled(self, gradient: Tensor) -> Tensor:
        """Return `gradient` over the scale."""
        return gradient / self._scale

    def apply(self, norm: Tensor, update: Callable[[], None]) -> Tensor:
        """Do `update` or halve the scale."""
        overflow = tf.logical_not(tf.math.is_finite(norm)) & (self._scale > 1.0)

        def leave_out() -> Tensor:
            self._scale.assign(tf.maximum(self._scale / _GROWTH, 1.0))
            self._good.assign(0)
            return tf.zeros_like(norm)

        def move() -> Tensor:
            update()
            grows = self._good + 1 >= self._growth_steps
            self._scale.assign(tf.where(grows, self._scale * _GROWTH, self._scale))
            self._good.assign(tf.where(grows, tf.zeros_like(self._good), self._good + 1))
            return norm

        return tf.cond(overflow, leave_out, move)

    def variables(self) -> Mapping[str, Variable]:
        """Return the scale and the number of steps since it last changed."""
        return {"scale": self._scale, "good_steps": self._good}


def loss_scaling(precision: PrecisionConfig) -> LossScaling:
    """Return what the declared precision needs."""
    return DynamicScaling(precision) if precision.kind == "float16" else NoScaling()
