"""Adam over plain variables, one fused operation each."""

from collections.abc import Sequence
from typing import Any, final

import tensorflow as tf

Tensor = Any
Variable = Any

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8


@final
class Adam(tf.Module):
    """Adam with decoupled weight decay and a rate that falls linearly to zero.

    References: Kingma and Ba, "Adam", ICLR 2015; Loshchilov and Hutter, "Decoupled Weight Decay
    Regularization", ICLR 2019.

    Args:
        variables: What is moved.
        rate: Learning rate at the first step.
        decay: Share of each weight taken away at a step, times the rate.
        steps: Steps until the rate is zero; warm-up takes the first hundredth of them.
    """

    def __init__(
        self, variables: Sequence[Variable], rate: float, decay: float, steps: int
    ) -> None:
        super().__init__()
        self.variables_moved = list(variables)
        self.first = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.second = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.rate, self.decay, self.steps = rate, decay, steps

    def apply(self, gradients: Sequence[Tensor], step: Tensor) -> None:
        """Move every variable; `step` counts from 0."""
        done = tf.cast(step, tf.float32)
        falling = 1.0 - done / self.steps
        rate = self.rate * tf.minimum(falling, (done + 1.0) / (self.steps / 100 + 1.0))
        for variable, first, second, gradient in zip(
            self.variables_moved, self.first, self.second, gradients, strict=True
        ):
            if self.decay:
                variable.assign(variable * (1.0 - rate * self.decay))
            tf.raw_ops.ResourceApplyAdam(
                var=variable.handle,
                m=first.handle,
                v=second.handle,
                beta1_power=tf.pow(BETA_1, done + 1.0),
                beta2_power=tf.pow(BETA_2, done + 1.0),
                lr=rate,
                beta1=BETA_1,
                beta2=BETA_2,
                epsilon=EPSILON,
                grad=tf.convert_to_tensor(gradient),
            )
