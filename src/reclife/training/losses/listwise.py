"""Listwise loss: the positives of a group against the whole group."""

from typing import Any, ClassVar, final

import tensorflow as tf

from reclife.training.losses.loss import Loss

Tensor = Any


@final
class Listwise(Loss):
    r"""The mean over the groups with a positive of the cross-entropy of a softmax.

    .. math:: -\sum_{i \in g} \frac{w_i y_i}{\sum_{k \in g} w_k y_k}
        \log \frac{e^{s_i}}{\sum_{j \in g} w_j e^{s_j}}

    With weights of one over the probability of being sampled this is the softmax with logQ
    correction.

    References: Cao et al., "Learning to Rank: From Pairwise Approach to Listwise Approach", ICML
    2007; Bruch et al., "An Analysis of the Softmax Cross Entropy Loss for Learning-to-Rank with
    Binary Relevance", ICTIR 2019.
    """

    grouped: ClassVar[bool] = True

    def total(self, logits: Tensor, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the sum over the groups."""
        size = tf.shape(logits)[0]

        def per_group(values: Tensor) -> Tensor:
            return tf.math.unsorted_segment_sum(values, groups, size)

        # A row that does not count must not be the largest: its group could underflow to 0.
        counted = tf.where(weights > 0, logits, tf.constant(logits.dtype.min, logits.dtype))
        top = tf.stop_gradient(tf.math.unsorted_segment_max(counted, groups, size))
        raised = tf.where(weights > 0, tf.exp(counted - tf.gather(top, groups)), 0.0)
        total = tf.gather(per_group(weights * raised), groups)
        log_share = logits - tf.gather(top, groups) - tf.math.log(tf.where(total > 0, total, 1.0))
        relevance = weights * labels
        relevant = per_group(relevance)
        target = tf.math.divide_no_nan(relevance, tf.gather(relevant, groups))
        return -tf.reduce_sum(target * log_share)

    def count(self, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the number of groups with a positive."""
        relevant = tf.math.unsorted_segment_sum(weights * labels, groups, tf.shape(labels)[0])
        return tf.reduce_sum(tf.cast(relevant > 0, weights.dtype))
