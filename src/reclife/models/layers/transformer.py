"""A sequence whose positions look at one another."""

from typing import Any, final

import keras
import tensorflow as tf

from reclife.models.layers.dense import affine, layer_norm, linear
from reclife.runtime.seeds import derive

Tensor = Any

_MASKED = -1e9
"""Added to the score of an absent position: its share is exactly zero in float32."""


@final
class TransformerBlock(keras.layers.Layer):
    r"""Encodes a sequence, seeing present positions only: `[B, L, D]`, `[B, L] -> [B, L, D]`.

    .. math:: y = \mathrm{LN}\big(x + \mathrm{drop}(\mathrm{MH}(x))\big) \qquad
              z = \mathrm{LN}\big(y + \mathrm{drop}(\mathrm{LeakyReLU}(y W_1 + b_1) W_2 + b_2)\big)

    with MH the concatenated heads :math:`\mathrm{softmax}(Q K^\top / \sqrt A) V` of length
    :math:`A = D / H`, times a matrix `[D, D]`. The inner layer is `[D, 4 D]`.

    References: Chen et al., "Behavior Sequence Transformer for E-commerce Recommendation in
    Alibaba", DLP-KDD 2019, equations 2 to 6; Vaswani et al., "Attention Is All You Need", 2017.
    """

    def __init__(self, dim: int, heads: int, dropout: float, seed: int, name: str) -> None:
        super().__init__(name=name)
        self.heads, self.units = heads, dim // heads
        self.query, self.key, self.value, self.joint = (
            linear(dim, dim, seed, f"{name}_{part}") for part in ("query", "key", "value", "joint")
        )
        self.inner = affine(dim, 4 * dim, seed, f"{name}_inner")
        self.outer = affine(4 * dim, dim, seed, f"{name}_outer")
        self.norms = [layer_norm(dim, f"{name}_norm_{i}") for i in range(2)]
        self.drops = [
            keras.layers.Dropout(dropout, seed=derive(seed, name, "dropout", i)) for i in range(2)
        ]
        self.built = True

    def call(self, sequence: Tensor, present: Tensor, training: bool = False) -> Tensor:
        """Return the encoded `sequence`; what absent positions give is to be left out."""
        attended = self.drops[0](self._attend(sequence, present), training=training)
        middle = self.norms[0](sequence + attended)
        moved = self.outer(tf.nn.leaky_relu(self.inner(middle)))
        return self.norms[1](middle + self.drops[1](moved, training=training))

    def _attend(self, sequence: Tensor, present: Tensor) -> Tensor:
        query, key, value = (self._split(m(sequence)) for m in (self.query, self.key, self.value))
        scores = tf.matmul(query, key, transpose_b=True) / self.units**0.5  # [B, H, L, L]
        absent = tf.cast(1.0 - present[:, tf.newaxis, tf.newaxis, :], tf.float32)
        shares = tf.nn.softmax(tf.cast(scores, tf.float32) + absent * _MASKED)
        heads = tf.transpose(tf.matmul(tf.cast(shares, value.dtype), value), [0, 2, 1, 3])
        joined = tf.reshape(heads, [-1, sequence.shape[1], self.heads * self.units])
        return self.joint(joined)

    def _split(self, joined: Tensor) -> Tensor:
        heads = tf.reshape(joined, [-1, joined.shape[1], self.heads, self.units])
        return tf.transpose(heads, [0, 2, 1, 3])  # [B, H, L, A]
