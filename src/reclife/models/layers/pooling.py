"""From embedding rows to one vector a feature."""

from typing import Any, Literal, final

import keras
import tensorflow as tf

from reclife.contracts import PADDING_ID

Tensor = Any


def mask(ids: Tensor, dtype: Any = tf.float32) -> Tensor:
    """Return 1 where `ids` holds a value and 0 where it holds padding, same shape as `ids`."""
    return tf.cast(tf.not_equal(ids, PADDING_ID), dtype)


def mean_pool(rows: Tensor, ids: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return the weighted mean of the rows whose id is not padding; zeros when all are.

    Args:
        rows: `[B, D]` for a scalar feature or `[B, L, D]` for a list.
        ids: `[B]` or `[B, L]`, the ids the rows were looked up with.
        weights: `[B, L]`, none negative; equal ones when not given.

    Returns:
        `[B, D]`.
    """
    present = mask(ids, rows.dtype)[..., tf.newaxis]
    if len(rows.shape) == 2:
        return rows * present
    shares = present if weights is None else present * weights[..., tf.newaxis]
    total, sums = tf.reduce_sum(rows * shares, axis=1), tf.reduce_sum(shares, axis=1)
    return total / tf.where(sums > 0, sums, 1.0)


@final
class Pool(keras.layers.Layer):
    """Makes one row of the present ones: `[B, L, D]`, `[B, L] -> [B, D]`; zeros of none."""

    def __init__(self, by: Literal["mean", "sum"], name: str) -> None:
        super().__init__(name=name)
        self.by = by
        self.built = True

    def call(self, rows: Tensor, present: Tensor) -> Tensor:
        """Return the mean or the sum of the `rows` of which `present` is 1."""
        total = tf.reduce_sum(rows * present[..., tf.newaxis], axis=1)
        if self.by == "sum":
            return total
        return total / tf.maximum(tf.reduce_sum(present, axis=1, keepdims=True), 1.0)
