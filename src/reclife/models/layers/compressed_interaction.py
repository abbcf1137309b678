"""Products of whole vectors, of a bounded degree."""

from collections.abc import Sequence
from typing import Any, final

import keras
import tensorflow as tf

from reclife.models.layers.dense import linear

Tensor = Any


@final
class CompressedInteraction(keras.layers.Layer):
    r"""Sums the maps of a compressed interaction network: `[B, M, D] -> [B, H_1 + ... + H_K]`.

    .. math:: X^k_h = \sum_{i=1}^{H_{k-1}} \sum_{j=1}^{M} W^{k,h}_{ij}\, (X^{k-1}_i \odot X^0_j)
              \qquad p^k_h = \sum_d X^k_{hd}

    with :math:`X^0` the fields. All maps of a layer go on to the next and to the output, and the
    activation is the identity, as in most of the paper's experiments.

    Reference: Lian et al., "xDeepFM: Combining Explicit and Implicit Feature Interactions for
    Recommender Systems", KDD 2018, equations 6 and 7.
    """

    def __init__(self, fields: int, maps: Sequence[int], seed: int, name: str) -> None:
        super().__init__(name=name)
        sizes = zip([fields, *maps], maps, strict=False)
        self.maps = [
            linear(before * fields, after, seed, f"{name}_{depth}")
            for depth, (before, after) in enumerate(sizes)
        ]
        self.built = True

    def call(self, fields: Tensor) -> Tensor:
        """Return the sums `p` of all layers side by side."""
        first = tf.transpose(fields, [0, 2, 1])  # [B, D, M]
        current, sums = first, []
        for compress in self.maps:
            pairs = current[:, :, :, tf.newaxis] * first[:, :, tf.newaxis, :]  # [B, D, H, M]
            width = pairs.shape[2] * pairs.shape[3]
            current = compress(tf.reshape(pairs, [-1, pairs.shape[1], width]))  # [B, D, H']
            sums.append(tf.reduce_sum(current, axis=1))
        return tf.concat(sums, axis=1)
