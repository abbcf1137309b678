"""A transformer block that normalises first and is told what each position may see."""

from typing import Any, final

import keras
import tensorflow as tf

from reclife.models.layers.dense import affine, layer_norm, linear
from reclife.runtime.seeds import derive

Tensor = Any

HIDDEN = -1e9
"""Added to the score of a position that must not be seen: its share is zero in float32."""


@final
class EncoderBlock(keras.layers.Layer):
    r"""Encodes a sequence: `[B, T, D]`, `[B or 1, T, T] -> [B, T, D]`.

    .. math:: y = x + \mathrm{drop}(\mathrm{MH}(\mathrm{LN}(x))) \qquad
              z = y + \mathrm{drop}(\mathrm{ReLU}(\mathrm{LN}(y) W_1 + b_1) W_2 + b_2)

    with MH the concatenated heads :math:`\mathrm{softmax}(Q K^\top / \sqrt A + M) V`,
    :math:`A = D / H`, times a matrix `[D, D]`. The inner layer is `[D, 4 D]`.

    References: Vaswani et al., "Attention Is All You Need", 2017; Xiong et al., "On Layer
    Normalization in the Transformer Architecture", ICML 2020.
    """

    def __init__(self, dim: int, heads: int, dropout: float, seed: int, name: str) -> None:
        super().__init__(name=name)
        self.heads, self.units = heads, dim // heads
        self.projections = linear(dim, 3 * dim, seed, f"{name}_projections")
        self.joint = linear(dim, dim, seed, f"{name}_joint")
        self.inner = affine(dim, 4 * dim, seed, f"{name}_inner")
        self.outer = affine(4 * dim, dim, seed, f"{name}_outer")
        self.norms = [layer_norm(dim, f"{name}_norm_{i}") for i in range(2)]
        self.drops = [
            keras.layers.Dropout(dropout, seed=derive(seed, name, "dropout", i)) for i in range(2)
        ]
        self.built = True

    def call(self, sequence: Tensor, mask: Tensor, training: bool = False) -> Tensor:
        """Return the encoded `sequence`; `mask` is 0 where one sees the other, `HIDDEN` else."""
        attended = self._attend(self.norms[0](sequence), mask)
        middle = sequence + self.drops[0](attended, training=training)
        moved = self.outer(tf.nn.relu(self.inner(self.norms[1](middle))))
        return middle + self.drops[1](moved, training=training)

    def _attend(self, sequence: Tensor, mask: Tensor) -> Tensor:
        shape = tf.shape(sequence)
        split = [shape[0], shape[1], 3, self.heads, self.units]
        joined = tf.transpose(tf.reshape(self.projections(sequence), split), [2, 0, 3, 1, 4])
        query, key, value = tf.unstack(joined)  # [B, H, T, A]
        scores = tf.matmul(query, key, transpose_b=True) / self.units**0.5
        weights = tf.nn.softmax(scores + mask[:, tf.newaxis])  # [B, H, T, T]
        heads = tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3])
        return self.joint(tf.reshape(heads, [shape[0], shape[1], self.heads * self.units]))
