"""Keras layers with seeds of their own, built at once so that the weights exist."""

from collections.abc import Sequence
from typing import Any, final

import keras

from reclife.runtime.seeds import derive

Layer = Any
Tensor = Any

_STATISTICS_MOMENTUM = 0.9
"""Share of the old moving statistics kept at each step: they settle within an epoch of a small
data set (0.9^60 < 0.002), where the usual 0.99 would need five."""


@final
class Bias(keras.layers.Layer):
    """Adds one trainable number, zero at first, to every logit."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name)
        self.bias = self.add_weight(shape=(), initializer="zeros", name="bias")
        self.built = True

    def call(self, logits: Tensor) -> Tensor:
        """Return `logits` plus the bias, same shape."""
        return logits + self.bias


def linear(inputs: int, outputs: int, seed: int, name: str) -> Layer:
    """Return a linear map `[B, inputs] -> [B, outputs]`."""
    layer = keras.layers.Dense(
        outputs, use_bias=False, kernel_initializer=_glorot(seed, name), name=name
    )
    layer.build((None, inputs))
    return layer


def perceptron(inputs: int, units: Sequence[int], dropout: float, seed: int, name: str) -> Layer:
    """Return a multi-layer perceptron `[B, inputs] -> [B, 1]` with ReLU between the layers."""
    layers: list[Layer] = []
    for depth, width in enumerate(units):
        part = f"{name}_{depth}"
        kernel = _glorot(seed, part)
        layers.append(keras.layers.Dense(width, "relu", kernel_initializer=kernel, name=part))
        layers.append(keras.layers.Dropout(dropout, seed=derive(seed, part, "dropout")))
    layers.append(keras.layers.Dense(1, kernel_initializer=_glorot(seed, name), name=f"{name}_out"))
    tower = keras.Sequential(layers, name=name)
    tower.build((None, inputs))
    return tower


def normalization(inputs: int, name: str) -> Layer:
    """Return batch normalisation of `[B, inputs]`; its statistics are float32.

    Reference: Ioffe and Szegedy, "Batch Normalization", ICML 2015.
    """
    layer = keras.layers.BatchNormalization(
        momentum=_STATISTICS_MOMENTUM, dtype="float32", name=name
    )
    layer.build((None, inputs))
    return layer


def _glorot(seed: int, name: str) -> Layer:
    return keras.initializers.GlorotUniform(seed=derive(seed, name, "kernel"))
