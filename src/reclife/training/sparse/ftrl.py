"""FTRL-proximal on the rows of the batch only."""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.training.sparse.optimizer import WEIGHT, Moved, Pace, Slot, SparseOptimizer

Tensor = Any


@final
class FTRL(SparseOptimizer):
    r"""A weight is exactly zero until its gradients say more than `l1`.

    What a row held before it was first touched is forgotten.

    .. math:: n' = n + g^2, \quad z \gets z + g - \frac{\sqrt{n'} - \sqrt n}{\alpha} w, \quad
        w \gets \begin{cases} 0 & |z| \le \lambda_1 \\
        \frac{\mathrm{sign}(z) \lambda_1 - z}{\sqrt{n'} / \alpha + 2 \lambda_2} &
        \text{otherwise} \end{cases}

    Reference: McMahan et al., "Ad Click Prediction: a View from the Trenches", KDD 2013, algorithm
    1; half of its :math:`\lambda_2` here, so that the penalty is :math:`\lambda_2 w^2`.
    """

    def slots(self) -> dict[str, Slot]:
        """Return the accumulator of squares and the linear term."""
        return {"accumulator": Slot(self.config.initial_accumulator), "linear": Slot(0.0)}

    def move(self, held: Mapping[str, Tensor], gradient: Tensor, pace: Pace) -> Moved:
        """See the class for the rule."""
        before, accumulator = held["accumulator"], held["accumulator"] + tf.square(gradient)
        sigma = (tf.sqrt(accumulator) - tf.sqrt(before)) / pace.rate
        linear = held["linear"] + gradient - sigma * held[WEIGHT]
        beyond = tf.clip_by_value(linear, -self.config.l1, self.config.l1) - linear
        moved = beyond / (tf.sqrt(accumulator) / pace.rate + 2 * self.config.l2)
        return Moved(held[WEIGHT] - moved, {"accumulator": accumulator, "linear": linear})
