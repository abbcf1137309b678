"""Focal loss: what is hard to tell apart counts more."""

from typing import Any, final

import tensorflow as tf

from reclife.config.objective import FocalConfig
from reclife.training.losses.loss import Pointwise

Tensor = Any


@final
class Focal(Pointwise):
    r"""With :math:`p = \sigma(s)`.

    .. math:: -\alpha\, y (1 - p)^\gamma \log p - (1 - \alpha) (1 - y) p^\gamma \log(1 - p)

    Without a declared :math:`\alpha` both of its factors are 1.

    Reference: Lin et al., "Focal Loss for Dense Object Detection", ICCV 2017, equation 5.
    """

    def __init__(self, config: FocalConfig) -> None:
        super().__init__(config)
        self._gamma = config.gamma
        alpha = config.alpha
        self._positive, self._negative = (1.0, 1.0) if alpha is None else (alpha, 1.0 - alpha)

    def losses(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of each row, `[B]`.

        Powers of probabilities are exponentials of their logs, whose gradient is finite everywhere.
        """
        log_p, log_q = -tf.nn.softplus(-logits), -tf.nn.softplus(logits)
        positive = self._positive * labels * tf.exp(self._gamma * log_q) * log_p
        negative = self._negative * (1 - labels) * tf.exp(self._gamma * log_p) * log_q
        return -(positive + negative)
