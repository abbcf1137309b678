"""Negatives that are the positive itself."""

from typing import Any

import tensorflow as tf

Tensor = Any

_IMPOSSIBLE = -1e9


def without_hits(negative: Tensor, negative_ids: Tensor, positive_ids: Tensor) -> Tensor:
    """Return the logits `negative` with those that are the positive itself made impossible.

    Args:
        negative: Logits, `[..., N]`.
        negative_ids: Their items, broadcast to `[..., N]`.
        positive_ids: The positives, `[...]`.
    """
    hits = tf.equal(negative_ids, positive_ids[..., tf.newaxis])
    return tf.where(hits, tf.constant(_IMPOSSIBLE, negative.dtype), negative)
