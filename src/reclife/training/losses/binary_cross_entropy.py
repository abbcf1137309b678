"""Binary cross-entropy: the loss whose minimum is the true probability."""

from typing import Any, final

import tensorflow as tf

from reclife.training.losses.loss import Pointwise

Tensor = Any


@final
class BinaryCrossEntropy(Pointwise):
    r"""With :math:`p = \sigma(s)`.

    .. math:: -y \log p - (1 - y) \log(1 - p)
    """

    def losses(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of each row, `[B]`."""
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
