"""Which units of work were begun how often: what was done twice after a crash is told."""

from typing import Any, final

import numpy as np
import tensorflow as tf

Tensor = Any


@final
class Ledger:
    """Counts on `server`, for each of `units` units, how often a worker began to push it."""

    def __init__(self, units: int, server: str) -> None:
        self._server = server
        with tf.device(server):
            self._begun = tf.Variable(tf.zeros([units], tf.int32), trainable=False)

    def begin(self, unit: Tensor) -> Tensor:
        """Note that `unit` is begun; what depends on the result comes later."""
        with tf.device(self._server):
            tf.raw_ops.ResourceScatterAdd(
                resource=self._begun.handle, indices=unit, updates=tf.constant(1)
            )
            return tf.gather(self._begun, unit)

    def repeated(self) -> list[int]:
        """Return the units that were begun more than once, and forget all counts."""
        counts = self._begun.numpy()
        self._begun.assign(np.zeros_like(counts))
        return [int(unit) for unit in np.flatnonzero(counts > 1)]
