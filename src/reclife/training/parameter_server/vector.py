"""Everything that is no embedding row, as one vector cut evenly over the servers."""

from collections.abc import Callable, Sequence
from typing import Any, final

import keras
import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from reclife.training.parameter_server.residual import Residual
from reclife.training.parameter_server.wire import BLOCK, Wires

Array = NDArray[Any]
Tensor = Any
Variable = Any
Optimizer = Any

_OWN = 2
"""Variables of a Keras optimiser before the slots: its count of steps and its rate."""


@final
class Vector:
    """The trainable `variables` of a model, `[N]` side by side; each server has a stretch of it.

    The optimisers look at each number by itself, so that one over a stretch does what one over the
    variables does. `pull` and `push` are called while a worker's step is traced.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        servers: Sequence[str],
        make: Callable[[], Optimizer],
        wires: Wires,
        name: str,
    ) -> None:
        self._like = list(variables)
        self._servers = tuple(servers)
        self._wires = wires
        self._sizes = [int(np.prod(v.shape)) for v in variables]
        blocks = -(-sum(self._sizes) // (BLOCK * len(servers)))
        self._stretch = max(1, blocks) * BLOCK
        self._parts, self._optimizers = [], []
        for server in servers:
            with tf.device(server):
                part = keras.Variable(np.zeros(self._stretch, np.float32), name="dense")
                optimizer = make()
                optimizer.build([part])
            self._parts.append(part)
            self._optimizers.append(optimizer)
        blocks = self._stretch * len(servers) // BLOCK
        self._residual = Residual(f"{name}/dense", blocks, BLOCK)
        self.assign([v.numpy() for v in variables])

    def pull(self) -> list[Tensor]:
        """Return the values of the variables."""
        if not self._like:
            return []
        found = []
        for server, part in zip(self._servers, self._parts, strict=True):
            with tf.device(server):
                message = self._wires.pull.send(tf.reshape(part.value, [-1, BLOCK]))
            blocks = self._wires.pull.receive(message, self._stretch // BLOCK, BLOCK)
            found.append(tf.reshape(blocks, [-1]))
        whole = tf.concat(found, axis=0)[: sum(self._sizes)]
        values = tf.split(whole, self._sizes)
        return [tf.reshape(x, v.shape) for x, v in zip(values, self._like, strict=True)]

    def push(self, gradients: Sequence[Tensor], rate: Tensor) -> None:
        """Move the variables by their `gradients` at learning rate `rate`."""
        wire = self._wires.push
        flat = tf.concat([tf.reshape(g, [-1]) for g in gradients], axis=0)
        whole = self._stretch * len(self._servers)
        # Some layers leave the shape of a gradient open; how long all are together is known.
        blocks = tf.reshape(tf.pad(flat, [[0, whole - sum(self._sizes)]]), [whole // BLOCK, BLOCK])
        ids = tf.range(whole // BLOCK)
        if not wire.exact:
            blocks = self._residual.corrected(ids, blocks)
        rows = self._stretch // BLOCK
        for k, server in enumerate(self._servers):
            mine = blocks[k * rows : (k + 1) * rows]
            message = wire.send(mine)
            if not wire.exact:
                lost = mine - wire.receive(message, rows, BLOCK)
                self._residual.keep(ids[k * rows : (k + 1) * rows], lost)
            with tf.device(server):
                received = tf.reshape(wire.receive(message, rows, BLOCK), [self._stretch])
                self._optimizers[k].learning_rate.assign(rate)
                self._optimizers[k].apply([received], [self._parts[k]])

    def values(self) -> list[Array]:
        """Return what the variables are now."""
        return self._split([part.numpy() for part in self._parts])

    def assign(self, values: Sequence[Array]) -> None:
        """Set the variables."""
        for part, mine in zip(self._parts, self._joined(values), strict=True):
            part.assign(mine)

    def state(self) -> list[Array]:
        """Return the variables of one optimiser over all variables, in Keras' order."""
        own = [v.numpy() for v in self._optimizers[0].variables[:_OWN]]
        slots = zip(*[o.variables[_OWN:] for o in self._optimizers], strict=True)
        split = [self._split([v.numpy() for v in slot]) for slot in slots]
        return own + [values[i] for i in range(len(self._like)) for values in split]

    def count(self) -> int:
        """Return how many arrays `state` has."""
        slots = len(self._optimizers[0].variables) - _OWN
        return _OWN + slots * len(self._like)

    def restore(self, state: Sequence[Array]) -> None:
        """Set the optimisers to what `state` gives."""
        for optimizer in self._optimizers:
            for variable, value in zip(optimizer.variables[:_OWN], state[:_OWN], strict=True):
                variable.assign(value)
        count = len(self._optimizers[0].variables) - _OWN
        for s in range(count):
            for optimizer, mine in zip(
                self._optimizers, self._joined(state[_OWN + s :: count]), strict=True
            ):
                optimizer.variables[_OWN + s].assign(mine)

    def _split(self, parts: Sequence[Array]) -> list[Array]:
        whole, ends = np.concatenate(parts), np.cumsum(self._sizes, dtype=int)
        values = [whole[end - size : end] for size, end in zip(self._sizes, ends, strict=True)]
        return [x.reshape(v.shape) for x, v in zip(values, self._like, strict=True)]

    def _joined(self, values: Sequence[Array]) -> list[Array]:
        whole = np.zeros(self._stretch * len(self._servers), np.float32)
        for value, size, end in zip(values, self._sizes, np.cumsum(self._sizes), strict=True):
            whole[end - size : end] = np.asarray(value).reshape(-1)
        return np.split(whole, len(self._servers))
