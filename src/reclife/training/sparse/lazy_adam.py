"""Adam on the rows of the batch only."""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.training.sparse.optimizer import EPSILON, Moved, Pace, Slot, SparseOptimizer

Tensor = Any
Variable = Any


@final
class LazyAdam(SparseOptimizer):
    r"""Adam whose moments stay as they are, instead of decaying, where the batch has no row.

    With `g` the gradient of a touched row and `t` the number of steps so far,

    .. math:: m \gets \beta_1 m + (1 - \beta_1) g, \quad v \gets \beta_2 v + (1 - \beta_2) g^2,
        \quad w \gets w - \alpha \frac{\sqrt{1-\beta_2^t}}{1-\beta_1^t} \frac{m}{\sqrt v + \epsilon}

    Reference: Kingma and Ba, "Adam", ICLR 2015, section 2 (the efficient order of computation).
    """

    def slots(self) -> dict[str, Slot]:
        """Return the two moments."""
        return {"first": Slot(0.0), "second": Slot(0.0)}

    def move(self, held: Mapping[str, Tensor], gradient: Tensor, pace: Pace) -> Moved:
        """See the class for the rule."""
        beta_1, beta_2 = self.config.beta_1, self.config.beta_2
        corrected = pace.rate * tf.sqrt(1 - beta_2**pace.step) / (1 - beta_1**pace.step)
        first = beta_1 * held["first"] + (1 - beta_1) * gradient
        second = beta_2 * held["second"] + (1 - beta_2) * tf.square(gradient)
        change = corrected * first / (tf.sqrt(second) + EPSILON)
        return Moved(change, {"first": first, "second": second})
