"""Cross-entropy of a choice among the positive and sampled negatives."""

from typing import Any

import tensorflow as tf

Tensor = Any

_IMPOSSIBLE = -1e9


def sampled_softmax(
    positive: Tensor,
    negative: Tensor,
    positive_log_probability: Tensor,
    negative_log_probability: Tensor,
) -> Tensor:
    r"""Return the cross-entropy over the positive and its negatives, corrected for their sampling.

    With :math:`s' = s - \log q`, where an item of probability :math:`q` is drawn as a negative,

    .. math:: -{s'}^+ + \log \big(e^{{s'}^+} + \sum_j e^{{s'}^-_j}\big)

    which in expectation has the gradient of the full softmax as the number of negatives grows:
    without the correction items that are drawn often, those of in-batch negatives above all, are
    punished for being popular.

    Args:
        positive: Logits of the positives, `[...]`.
        negative: Logits of the negatives of each, `[..., N]`.
        positive_log_probability: :math:`\log q` of the positives, broadcast to `[...]`; any
            constant for both arguments (uniform sampling) leaves the loss as it is.
        negative_log_probability: :math:`\log q` of the negatives, broadcast to `[..., N]`.

    Returns:
        Losses `[...]`.

    References: Bengio and Senecal, "Adaptive Importance Sampling to Accelerate Training of a Neural
    Probabilistic Language Model", 2008; Yi et al., "Sampling-Bias-Corrected Neural Modeling for
    Large Corpus Item Recommendations", RecSys 2019, equation 3.
    """
    chosen = positive - positive_log_probability
    others = tf.reduce_logsumexp(negative - negative_log_probability, axis=-1)
    return tf.nn.softplus(others - chosen)


def without_hits(negative: Tensor, negative_ids: Tensor, positive_ids: Tensor) -> Tensor:
    """Return the logits `negative` with those that are the positive itself made impossible.

    Args:
        negative: Logits, `[..., N]`.
        negative_ids: Their items, broadcast to `[..., N]`.
        positive_ids: The positives, `[...]`.
    """
    hits = tf.equal(negative_ids, positive_ids[..., tf.newaxis])
    return tf.where(hits, tf.constant(_IMPOSSIBLE, negative.dtype), negative)
