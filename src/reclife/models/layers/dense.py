"""Keras layers with seeds of their own, built at once so that the weights exist."""

from typing import Any, final

import keras

from reclife.config.towers import HiddenLayers
from reclife.models.layers.activation import activation
from reclife.runtime.seeds import derive

Layer = Any
Tensor = Any

_STATISTICS_MOMENTUM = 0.9
"""Share of the old moving statistics kept at each step: they settle within an epoch of a small
data set (0.9^60 < 0.002), where the usual 0.99 would need five."""

_STARTS = {"glorot": keras.initializers.GlorotUniform, "he": keras.initializers.HeUniform}


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


def affine(inputs: int, outputs: int, seed: int, name: str) -> Layer:
    """Return a linear map and a bias, zero at first: `[..., inputs] -> [..., outputs]`."""
    layer = keras.layers.Dense(outputs, kernel_initializer=_glorot(seed, name), name=name)
    layer.build((None, inputs))
    return layer


def layer_norm(inputs: int, name: str) -> Layer:
    """Return layer normalisation of `[B, L, inputs]`.

    Reference: Ba, Kiros and Hinton, "Layer Normalization", 2016.
    """
    layer = keras.layers.LayerNormalization(epsilon=1e-6, name=name)
    layer.build((None, None, inputs))
    return layer


def perceptron(inputs: int, hidden: HiddenLayers, seed: int, name: str, outputs: int = 1) -> Layer:
    """Return a multi-layer perceptron `[B, inputs] -> [B, outputs]`, linear at its end."""
    out = keras.layers.Dense(outputs, kernel_initializer=_glorot(seed, name), name=f"{name}_out")
    return _sequence([*_hidden(hidden, seed, name), out], inputs, name)


def hidden_layers(inputs: int, hidden: HiddenLayers, seed: int, name: str) -> Layer:
    """Return the hidden layers of a perceptron, `[B, inputs] -> [B, hidden_units[-1]]`."""
    return _sequence(_hidden(hidden, seed, name), inputs, name)


def normalization(inputs: int, name: str) -> Layer:
    """Return batch normalisation of `[B, inputs]`; its statistics are float32.

    Reference: Ioffe and Szegedy, "Batch Normalization", ICML 2015.
    """
    layer = keras.layers.BatchNormalization(
        momentum=_STATISTICS_MOMENTUM, dtype="float32", name=name
    )
    layer.build((None, inputs))
    return layer


def _hidden(hidden: HiddenLayers, seed: int, name: str) -> list[Layer]:
    layers: list[Layer] = []
    for depth, width in enumerate(hidden.hidden_units):
        part = f"{name}_{depth}"
        start = _STARTS[hidden.dense_initializer](seed=derive(seed, part, "kernel"))
        layers.append(keras.layers.Dense(width, kernel_initializer=start, name=part))
        if hidden.normalization == "batch":
            layers.append(normalization(width, f"{part}_norm"))
        if hidden.normalization == "layer":
            layers.append(keras.layers.LayerNormalization(name=f"{part}_norm"))
        layers.append(activation(hidden.activation, f"{part}_activation"))
        layers.append(keras.layers.Dropout(hidden.dropout, seed=derive(seed, part, "dropout")))
    return layers


def _sequence(layers: list[Layer], inputs: int, name: str) -> Layer:
    tower = keras.Sequential(layers, name=name)
    tower.build((None, inputs))
    return tower


def _glorot(seed: int, name: str) -> Layer:
    return keras.initializers.GlorotUniform(seed=derive(seed, name, "kernel"))
