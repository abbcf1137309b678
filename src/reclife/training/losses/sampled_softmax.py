"""Cross-entropy of a choice among the positive and sampled items."""

from typing import Any

import tensorflow as tf

Tensor = Any

_LEAST = 1e-6
"""Least difference of two logarithms that float32 tells from none."""


def sampled_softmax(positive: Tensor, sampled: Tensor, chance: Tensor) -> Tensor:
    r"""Return the cross-entropy over the positive and a sample, corrected for the sampling.

    With S the distinct items of the sample and :math:`\pi_j` the chance that j is one of them,

    .. math:: -s^+ + \log \Big(e^{s^+} + \sum_{j \in S, j \ne +} \frac{e^{s_j}}{\pi_j}\Big)

    whose sum is in expectation that of the full softmax: without the correction items that are
    drawn often, those of in-batch negatives above all, are punished for being popular. The positive
    counts once, whether it was drawn or not.

    Args:
        positive: Logits of the positives, `[M]`.
        sampled: :math:`\log \sum_{j \in S} e^{s_j} / \pi_j`, the positive included, `[M]`.
        chance: :math:`\pi_+`, or 0 where the positive is not in S, `[M]`.

    Returns:
        Losses `[M]`.

    References: Bengio and Senecal, "Adaptive Importance Sampling to Accelerate Training of a Neural
    Probabilistic Language Model", 2008; Yi et al., "Sampling-Bias-Corrected Neural Modeling for
    Large Corpus Item Recommendations", RecSys 2019, equation 3.
    """
    drawn = chance > 0
    log_chance = tf.math.log(tf.where(drawn, chance, 1.0))
    whole = sampled - positive
    # e^(s+) / pi+ is one of the terms: with x the logarithm of their sum over it, e^x - 1 is left.
    more = tf.maximum(whole + log_chance, _LEAST)
    rest = more + tf.math.log(-tf.math.expm1(-more)) - log_chance
    return tf.nn.softplus(tf.where(drawn, rest, whole))
