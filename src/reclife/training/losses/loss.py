"""What every loss of a ranking task has."""

import abc
from typing import Any, ClassVar

import tensorflow as tf

from reclife.config.objective import LossConfig

Tensor = Any


class Loss(abc.ABC):
    """The mean loss of one task over a batch.

    A row of weight w counts as w rows; one of weight 0 (its label is not known) does not count.
    """

    grouped: ClassVar[bool] = False
    """Whether rows are compared within groups, which batches then keep together."""

    def __init__(self, config: LossConfig) -> None:
        self.config = config

    @abc.abstractmethod
    def __call__(self, logits: Tensor, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the mean, a scalar; 0 when nothing counts.

        Args:
            logits: `[B]`.
            labels: In [0, 1], `[B]`.
            weights: Not negative, `[B]`.
            groups: Number of each row's group, 0 <= number < B, int32 `[B]`.
        """


class Pointwise(Loss):
    """A loss that looks at each row by itself."""

    def __call__(self, logits: Tensor, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the weighted mean over the rows."""
        del groups
        return weighted_mean(self.losses(logits, labels), weights)

    @abc.abstractmethod
    def losses(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of each row, `[B]`."""


def weighted_mean(values: Tensor, weights: Tensor) -> Tensor:
    """Return the mean of `values` by `weights` of the same shape, 0 where all weights are 0."""
    return tf.math.divide_no_nan(tf.reduce_sum(values * weights), tf.reduce_sum(weights))
