"""Experts, weighted by what they are asked for."""

from collections.abc import Sequence
from typing import Any, final

import keras
import tensorflow as tf

from reclife.models.layers.activation import softmax
from reclife.models.layers.dense import linear

Tensor = Any


@final
class Gate(keras.layers.Layer):
    r"""Mixes E experts: `[B, N]`, `E x [B, K] -> [B, K]`.

    .. math:: \textstyle\sum_e g_e(x)\, f_e \qquad g(x) = \mathrm{softmax}(W x)

    Reference: Ma et al., "Modeling Task Relationships in Multi-task Learning with Multi-gate
    Mixture-of-Experts", KDD 2018, equations 5 to 8.
    """

    def __init__(self, inputs: int, experts: int, seed: int, name: str) -> None:
        super().__init__(name=name)
        self.shares = linear(inputs, experts, seed, f"{name}_shares")
        self.built = True

    def call(self, asked: Tensor, experts: Sequence[Tensor]) -> Tensor:
        """Return the mixture of the `experts`' outputs for what is `asked`."""
        shares = softmax(self.shares(asked))[..., tf.newaxis]  # [B, E, 1]
        return tf.reduce_sum(shares * tf.stack(experts, axis=1), axis=1)
