"""Pairwise loss: positives above negatives of the same group."""

from typing import Any, ClassVar, final

import tensorflow as tf

from reclife.training.losses.loss import Loss

Tensor = Any


@final
class Pairwise(Loss):
    r"""The mean over all pairs of rows of one group with :math:`y_i > y_j`.

    .. math:: -\log \sigma(s_i - s_j)

    A pair counts as the product of its rows' weights. Memory and time grow with :math:`B^2`.

    References: Burges et al., "Learning to Rank using Gradient Descent", ICML 2005; Rendle et al.,
    "BPR: Bayesian Personalized Ranking from Implicit Feedback", UAI 2009.
    """

    grouped: ClassVar[bool] = True

    def total(self, logits: Tensor, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the weighted sum over the pairs."""
        losses = tf.nn.softplus(logits[tf.newaxis] - logits[:, tf.newaxis])  # [B, B]
        return tf.reduce_sum(losses * _pairs(labels, weights, groups))

    def count(self, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the sum of the weights of the pairs."""
        return tf.reduce_sum(_pairs(labels, weights, groups))


def _pairs(labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
    """Return the weight of every pair (better, worse) of rows, `[B, B]`."""
    same = tf.equal(groups[:, tf.newaxis], groups[tf.newaxis])
    better = tf.greater(labels[:, tf.newaxis], labels[tf.newaxis])
    return tf.cast(same & better, weights.dtype) * weights[:, tf.newaxis] * weights[tf.newaxis]
