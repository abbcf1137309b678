"""Bayesian personalised ranking: a positive above each of its negatives."""

from typing import Any

import tensorflow as tf

Tensor = Any


def bpr(positive: Tensor, negative: Tensor) -> Tensor:
    r"""Return the mean over the negatives of the logistic loss of the difference.

    .. math:: \frac 1 N \sum_j -\log \sigma(s^+ - s^-_j)

    Args:
        positive: Logits of the positives, `[...]`.
        negative: Logits of the negatives of each, `[..., N]`.

    Returns:
        Losses `[...]`.

    Reference: Rendle et al., "BPR: Bayesian Personalized Ranking from Implicit Feedback", UAI 2009,
    section 4.
    """
    return tf.reduce_mean(tf.nn.softplus(negative - positive[..., tf.newaxis]), axis=-1)
