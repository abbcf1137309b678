"""Gradient descent, with or without momentum, on the rows of the batch only."""

from collections.abc import Mapping
from typing import Any, final

from reclife.training.sparse.optimizer import Moved, Pace, Slot, SparseOptimizer

Tensor = Any


@final
class SGD(SparseOptimizer):
    r"""The velocity of a row moves only when the row is touched.

    .. math:: v \gets \mu v + g, \quad w \gets w - \alpha v

    Reference: Polyak, "Some methods of speeding up the convergence of iteration methods", 1964.
    """

    def slots(self) -> dict[str, Slot]:
        """Return the velocity, where there is momentum."""
        return {"velocity": Slot(0.0)} if self.config.momentum else {}

    def move(self, held: Mapping[str, Tensor], gradient: Tensor, pace: Pace) -> Moved:
        """See the class for the rule."""
        if not self.config.momentum:
            return Moved(pace.rate * gradient, {})
        velocity = self.config.momentum * held["velocity"] + gradient
        return Moved(pace.rate * velocity, {"velocity": velocity})
