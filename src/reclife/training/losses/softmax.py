"""Cross-entropy of a choice among all items."""

from typing import Any

import tensorflow as tf

Tensor = Any


def softmax(logits: Tensor, target: Tensor) -> Tensor:
    r"""Return the cross-entropy of the softmax over all `V` items.

    .. math:: -s_{target} + \log \sum_{i=1}^{V} e^{s_i}

    Args:
        logits: `[..., V]`.
        target: Index of the positive among the `V` items, `[...]`, an integer.

    Returns:
        Losses `[...]`.
    """
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)
