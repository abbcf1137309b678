"""What compression lost of a worker's gradients, kept there and added to the next ones."""

from typing import Any, final

import tensorflow as tf

Tensor = Any

_ROWS = 1 << 20
"""Most rows that a memory has; in larger tables rows share them, the latest one stays."""


@final
class Residual:
    r"""Error feedback for rows of a table `[rows, dim]`.

    .. math:: c = g + e, \quad \hat c = \mathrm{decode}(\mathrm{encode}(c)), \quad
        e \gets c - \hat c

    The memory lies on whichever worker runs the operations, under `name`; it is made there at first
    use, so that a worker that comes back starts with an empty one.

    Reference: Seide et al., "1-Bit Stochastic Gradient Descent", Interspeech 2014; Karimireddy et
    al., "Error Feedback Fixes SignSGD", ICML 2019.
    """

    def __init__(self, name: str, rows: int, dim: int, most: int = _ROWS) -> None:
        self._name = name
        self._rows = min(rows, most)
        self._shared = rows > most
        self._dim = dim

    def corrected(self, ids: Tensor, gradient: Tensor) -> Tensor:
        """Return the `gradient` `[U, D]` of the distinct rows `ids` `[U]` plus their residual."""
        kept = _gather(self._memory(), ids % self._rows, tf.float32)
        if self._shared:
            owners = _gather(self._owners(), ids % self._rows, ids.dtype)
            kept = tf.where(tf.equal(owners, ids)[:, tf.newaxis], kept, 0.0)
        return gradient + tf.ensure_shape(kept, [None, self._dim])

    def keep(self, ids: Tensor, lost: Tensor) -> None:
        """Remember what was `lost` `[U, D]` of the distinct rows `ids` `[U]`."""
        if self._shared:
            owners = self._owners()
            places = ids % self._rows
            tf.raw_ops.ResourceScatterUpdate(resource=owners, indices=places, updates=ids)
            last = tf.equal(_gather(owners, places, ids.dtype), ids)
            ids, lost = tf.boolean_mask(ids, last), tf.boolean_mask(lost, last)
        tf.raw_ops.ResourceScatterUpdate(
            resource=self._memory(), indices=ids % self._rows, updates=lost
        )

    def _memory(self) -> Tensor:
        return _made(self._name, tf.float32, [self._rows, self._dim], 0.0)

    def _owners(self) -> Tensor:
        return _made(f"{self._name}/owners", tf.int32, [self._rows], -1)


def _made(name: str, dtype: Any, shape: list[int], start: float) -> Tensor:
    """Return the handle of a variable on the device that runs this, filled at first use."""
    handle = tf.raw_ops.VarHandleOp(dtype=dtype, shape=shape, shared_name=name)

    def fill() -> Tensor:
        value = tf.fill(shape, tf.constant(start, dtype))
        tf.raw_ops.AssignVariableOp(resource=handle, value=value)
        return tf.constant(True)

    ready = tf.raw_ops.VarIsInitializedOp(resource=handle)
    with tf.control_dependencies([tf.cond(ready, lambda: tf.constant(True), fill)]):
        return tf.identity(handle)


def _gather(handle: Tensor, indices: Tensor, dtype: Any) -> Tensor:
    return tf.raw_ops.ResourceGather(resource=handle, indices=indices, dtype=dtype)
