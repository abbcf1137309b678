"""Adagrad on the rows of the batch only."""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.training.sparse.optimizer import EPSILON, Moved, Pace, Slot, SparseOptimizer

Tensor = Any


@final
class Adagrad(SparseOptimizer):
    r"""Each number moves the less, the more its gradients have been.

    .. math:: a \gets a + g^2, \quad w \gets w - \alpha \frac{g}{\sqrt a + \epsilon}

    Reference: Duchi, Hazan, Singer, "Adaptive Subgradient Methods", JMLR 2011.
    """

    def slots(self) -> dict[str, Slot]:
        """Return the accumulator of squares."""
        return {"accumulator": Slot(self.config.initial_accumulator)}

    def move(self, held: Mapping[str, Tensor], gradient: Tensor, pace: Pace) -> Moved:
        """See the class for the rule."""
        accumulator = held["accumulator"] + tf.square(gradient)
        change = pace.rate * gradient / (tf.sqrt(accumulator) + EPSILON)
        return Moved(change, {"accumulator": accumulator})
