"""Generalised binary cross-entropy: binary losses on few negatives without overconfidence."""

from typing import Any

import tensorflow as tf

Tensor = Any


def gbce(positive: Tensor, negative: Tensor, beta: float) -> Tensor:
    r"""Return the binary cross-entropy with the positive's probability raised to `beta`.

    .. math:: -\frac 1 {N + 1}\Big(\beta \log \sigma(s^+) + \sum_j \log(1 - \sigma(s^-_j))\Big)

    Args:
        positive: Logits of the positives, `[...]`.
        negative: Logits of the negatives of each, drawn uniformly, `[..., N]`.
        beta: Power in (0, 1], see `gbce_beta`; 1 is plain binary cross-entropy.

    Returns:
        Losses `[...]`.

    Reference: Petrov and Macdonald, "gSASRec: Reducing Overconfidence in Sequential Recommendation
    Trained with Negative Sampling", RecSys 2023.
    """
    count = tf.cast(tf.shape(negative)[-1] + 1, negative.dtype)
    total = beta * tf.nn.softplus(-positive) + tf.reduce_sum(tf.nn.softplus(negative), axis=-1)
    return total / count


def gbce_beta(negatives: int, items: int, calibration: float) -> float:
    r"""Return the power for `gbce` when `negatives` of `items` items are drawn for each positive.

    .. math:: \beta = \alpha\big(t (1 - 1/\alpha) + 1/\alpha\big), \quad \alpha = N / (V - 1)

    Args:
        negatives: N, of which at most V - 1 are told apart.
        items: V, at least 2.
        calibration: `t` in [0, 1]: 0 is plain binary cross-entropy, 1 makes the scores those of a
            model that was trained on all negatives.

    Reference: as for `gbce`.
    """
    rate = min(negatives / (items - 1), 1.0)
    return rate * (calibration * (1 - 1 / rate) + 1 / rate)
