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

    def __call__(self, logits: Tensor, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the mean, a scalar; 0 when nothing counts.

        Args:
            logits: `[B]`.
            labels: In [0, 1], `[B]`.
            weights: Not negative, `[B]`.
            groups: Number of each row's group, 0 <= number < B, int32 `[B]`.
        """
        total = self.total(logits, labels, weights, groups)
        return tf.math.divide_no_nan(total, self.count(labels, weights, groups))

    @abc.abstractmethod
    def total(self, logits: Tensor, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the sum that the mean is of, a scalar.

        Sums over parts of a batch that cut no group add up to that over the whole of it.
        """

    @abc.abstractmethod
    def count(self, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return what the sum is divided by, a scalar; it adds up like the sum."""


class Pointwise(Loss):
    """A loss that looks at each row by itself."""

    def total(self, logits: Tensor, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the weighted sum over the rows."""
        del groups
        return tf.reduce_sum(self.losses(logits, labels) * weights)

    def count(self, labels: Tensor, weights: Tensor, groups: Tensor) -> Tensor:
        """Return the sum of the weights."""
        del labels, groups
        return tf.reduce_sum(weights)

    @abc.abstractmethod
    def losses(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of each row, `[B]`."""
