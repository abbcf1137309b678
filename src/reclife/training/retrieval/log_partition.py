"""The logarithm of a softmax's denominator, its gradient from one stored matrix."""

from typing import Any

import tensorflow as tf

Tensor = Any


def log_partition(queries: Tensor, items: Tensor, offsets: Tensor) -> Tensor:
    r"""Return :math:`\log \sum_i \exp(\langle q, v_i \rangle + o_i)` for each query.

    What is kept for the gradient is one `[N, I]` matrix, the exponentials; normalising it, which
    would write it once more, is done on the `[N, D]` side of the products.

    Args:
        queries: `[N, D]`.
        items: `[I, D]`.
        offsets: `[I]`.

    Returns:
        `[N]`.
    """

    @tf.custom_gradient
    def compute(queries: Tensor, items: Tensor, offsets: Tensor) -> Any:
        logits = tf.matmul(queries, items, transpose_b=True) + offsets
        top = tf.reduce_max(logits, axis=1, keepdims=True)
        powers = tf.exp(logits - top)
        total = tf.reduce_sum(powers, axis=1, keepdims=True)

        def gradient(upstream: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            scale = tf.convert_to_tensor(upstream)[:, tf.newaxis] / total
            to_queries = scale * tf.matmul(powers, items)
            to_items = tf.matmul(powers, scale * queries, transpose_a=True)
            to_offsets = tf.linalg.matvec(powers, scale[:, 0], transpose_a=True)
            return to_queries, to_items, to_offsets

        return (top + tf.math.log(total))[:, 0], gradient

    return compute(queries, items, offsets)
