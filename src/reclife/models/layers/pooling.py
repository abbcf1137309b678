"""From embedding rows to one vector a feature."""

from typing import Any

import tensorflow as tf

from reclife.contracts import PADDING_ID

Tensor = Any


def mask(ids: Tensor, dtype: Any = tf.float32) -> Tensor:
    """Return 1 where `ids` holds a value and 0 where it holds padding, same shape as `ids`."""
    return tf.cast(tf.not_equal(ids, PADDING_ID), dtype)


def mean_pool(rows: Tensor, ids: Tensor) -> Tensor:
    """Return the mean of the rows whose id is not padding; zeros when all are.

    Args:
        rows: `[B, D]` for a scalar feature or `[B, L, D]` for a list.
        ids: `[B]` or `[B, L]`, the ids the rows were looked up with.

    Returns:
        `[B, D]`.
    """
    weights = mask(ids, rows.dtype)[..., tf.newaxis]
    if len(rows.shape) == 2:
        return rows * weights
    total = tf.reduce_sum(rows * weights, axis=1)
    return total / tf.maximum(tf.reduce_sum(weights, axis=1), 1.0)
