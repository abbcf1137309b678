"""What layers keep besides their weights, as means over batches: exact, on one server."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

Array = NDArray[Any]
Tensor = Any
Variable = Any


@final
class Statistics:
    """The variables `like` on `server`; workers add how far each batch moves them."""

    def __init__(self, like: Sequence[Variable], server: str) -> None:
        self._server = server
        with tf.device(server):
            self._held = [tf.Variable(v.numpy(), trainable=False) for v in like]

    def pull(self) -> list[Tensor]:
        """Return their values; called while a worker's step is traced."""
        with tf.device(self._server):
            return [variable.read_value() for variable in self._held]

    def push(self, before: Sequence[Tensor], after: Sequence[Tensor], wanted: Tensor) -> None:
        """Add the difference where `wanted`; called while a worker's step is traced."""
        for variable, old, new in zip(self._held, before, after, strict=True):
            change = tf.where(wanted, new - old, tf.zeros((), new.dtype))
            with tf.device(self._server):
                variable.assign_add(tf.identity(change))

    def values(self) -> list[Array]:
        """Return what they are now."""
        return [variable.numpy() for variable in self._held]

    def assign(self, values: Sequence[Array]) -> None:
        """Set them."""
        for variable, value in zip(self._held, values, strict=True):
            variable.assign(np.asarray(value))
