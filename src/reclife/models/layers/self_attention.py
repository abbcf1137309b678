"""Fields that look at one another."""

from typing import Any, final

import keras
import tensorflow as tf

from reclife.models.layers.activation import softmax
from reclife.models.layers.dense import linear

Tensor = Any


@final
class FieldAttention(keras.layers.Layer):
    r"""Combines every field with those it fits: `[B, M, D] -> [B, M, H * A]`, `H` heads of `A`.

    .. math:: \alpha^h_{mk} = \mathrm{softmax}_k \langle Q_h e_m, K_h e_k \rangle \qquad
              \tilde e_m = \mathrm{ReLU}\big(
              [\textstyle\sum_k \alpha^h_{mk} V_h e_k]_{h = 1..H} + W e_m\big)

    Reference: Song et al., "AutoInt: Automatic Feature Interaction Learning via Self-Attentive
    Neural Networks", CIKM 2019, equations 5 to 8.
    """

    def __init__(self, dim: int, heads: int, units: int, seed: int, name: str) -> None:
        super().__init__(name=name)
        self.heads, self.units = heads, units
        self.query, self.key, self.value, self.residual = (
            linear(dim, heads * units, seed, f"{name}_{part}")
            for part in ("query", "key", "value", "residual")
        )
        self.built = True

    def call(self, fields: Tensor) -> Tensor:
        """Return the combined fields."""
        query, key, value = (self._split(m(fields)) for m in (self.query, self.key, self.value))
        weights = softmax(tf.matmul(query, key, transpose_b=True))  # [B, H, M, M]
        heads = tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3])  # [B, M, H, A]
        joined = tf.reshape(heads, [-1, fields.shape[1], self.heads * self.units])
        return tf.nn.relu(joined + self.residual(fields))

    def _split(self, joined: Tensor) -> Tensor:
        heads = tf.reshape(joined, [-1, joined.shape[1], self.heads, self.units])
        return tf.transpose(heads, [0, 2, 1, 3])  # [B, H, M, A]
