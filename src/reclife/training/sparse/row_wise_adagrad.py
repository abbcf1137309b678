"""Adagrad with one accumulator a row."""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.training.sparse.optimizer import EPSILON, Moved, Pace, Slot, SparseOptimizer

Tensor = Any


@final
class RowWiseAdagrad(SparseOptimizer):
    r"""A row moves the less, the larger its gradients have been: a D-th of Adagrad's memory.

    .. math:: a \gets a + \frac 1 D \sum_d g_d^2, \quad
        w \gets w - \alpha \frac{g}{\sqrt a + \epsilon}

    Reference: Mudigere et al., "Software-Hardware Co-design for Fast and Scalable Training of Deep
    Learning Recommendation Models", ISCA 2022.
    """

    def slots(self) -> dict[str, Slot]:
        """Return the accumulator of mean squares."""
        return {"accumulator": Slot(self.config.initial_accumulator, one_a_row=True)}

    def move(self, held: Mapping[str, Tensor], gradient: Tensor, pace: Pace) -> Moved:
        """See the class for the rule."""
        squares = tf.reduce_mean(tf.square(gradient), axis=1, keepdims=True)
        accumulator = held["accumulator"] + squares  # [U, 1]
        change = pace.rate * gradient / (tf.sqrt(accumulator) + EPSILON)
        return Moved(change, {"accumulator": accumulator})
