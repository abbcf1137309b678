"""How much each past item says about the one that is scored."""

from typing import Any, final

import keras
import tensorflow as tf

from reclife.config.towers import HiddenLayers
from reclife.models.layers.dense import perceptron

Tensor = Any


@final
class TargetAttention(keras.layers.Layer):
    r"""Sums a history by its relevance to a target: `[B, L, D]`, `[B, L]`, `[B, D] -> [B, D]`.

    .. math:: u = \sum_{j:\,present} a(e_j, t)\, e_j
              \qquad a(e, t) = \mathrm{MLP}([e; t; e - t; e \odot t])

    The weights are not normalised: their sum tells how strong the interest is. The paper's units
    have PReLU or Dice for activation.

    Reference: Zhou et al., "Deep Interest Network for Click-Through Rate Prediction", KDD 2018,
    equation 3 and figure 2.
    """

    def __init__(self, dim: int, unit: HiddenLayers, seed: int, name: str) -> None:
        super().__init__(name=name)
        self.unit = perceptron(4 * dim, unit, seed, f"{name}_unit")
        self.dim = dim
        self.built = True

    def call(
        self, history: Tensor, present: Tensor, target: Tensor, training: bool = False
    ) -> Tensor:
        """Return the interest `u` of `history`, whose position `j` counts where `present` is 1."""
        history = history * present[..., tf.newaxis]
        query = target[:, tf.newaxis, :] + tf.zeros_like(history)
        pairs = tf.concat([history, query, history - query, history * query], axis=-1)
        flat = tf.reshape(pairs, [-1, 4 * self.dim])  # [B * L, 4 D]
        weights = self.unit(flat, training=training)
        weights = tf.reshape(weights, tf.shape(present)) * present
        return tf.reduce_sum(history * weights[..., tf.newaxis], axis=1)
