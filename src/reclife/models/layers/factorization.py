"""The second-order term of a factorization machine."""

from typing import Any

import tensorflow as tf

from reclife.models.layers.scopes import part_scope

Tensor = Any


def pairwise(vectors: Tensor) -> Tensor:
    r"""Return the sum of the dot products of all pairs of vectors, in linear time.

    .. math:: \sum_{i<j} \langle v_i, v_j \rangle
              = \tfrac12 \sum_d \Big[ \big(\sum_i v_{id}\big)^2 - \sum_i v_{id}^2 \Big]

    Args:
        vectors: `[B, F, D]`, one vector a field.

    Returns:
        `[B, 1]`.

    Reference: Rendle, "Factorization Machines", ICDM 2010, lemma 3.1.
    """
    with part_scope("factorization", "pairs"):
        square_of_sum = tf.square(tf.reduce_sum(vectors, axis=1))  # [B, D]
        sum_of_squares = tf.reduce_sum(tf.square(vectors), axis=1)  # [B, D]
        return 0.5 * tf.reduce_sum(square_of_sum - sum_of_squares, axis=1, keepdims=True)
