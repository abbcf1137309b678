"""Pairwise loss: positives above negatives of the same group."""

from typing import Any, ClassVar, final

import tensorflow as tf

from reclife.training.losses.loss import Loss, weighted_mean

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

    def __call__(self, logits: Tensor, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the weighted mean over the pairs."""
        same = tf.equal(groups[:, tf.newaxis], groups[tf.newaxis])
        better = tf.greater(labels[:, tf.newaxis], labels[tf.newaxis])
        pairs = tf.cast(same & better, logits.dtype) * weights[:, tf.newaxis] * weights[tf.newaxis]
        losses = tf.nn.softplus(logits[tf.newaxis] - logits[:, tf.newaxis])  # [B, B]
        return weighted_mean(losses, pairs)
