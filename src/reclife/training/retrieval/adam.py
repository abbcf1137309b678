"""Adam over plain variables, one fused operation each."""

from collections.abc import Sequence
from typing import Any, final

import tensorflow as tf

Tensor = Any
Variable = Any

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8


@final
class Adam(tf.Module):
    """Adam with decoupled weight decay.

    References: Kingma and Ba, "Adam", ICLR 2015; Loshchilov and Hutter, "Decoupled Weight Decay
    Regularization", ICLR 2019.

    Args:
        variables: What is moved.
        decay: Share of each weight taken away at a step, times the rate.
    """

    def __init__(self, variables: Sequence[Variable], decay: float) -> None:
        super().__init__()
        self.variables_moved = list(variables)
        self.first = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.second = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.decay = decay

    def apply(self, gradients: Sequence[Tensor], step: Tensor, rate: Tensor) -> None:
        """Move every variable at the learning rate `rate`; `step` counts from 0."""
        done = tf.cast(step, tf.float32)
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
