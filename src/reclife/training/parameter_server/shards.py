"""Embedding tables cut over the servers by row, their optimisers beside them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, final

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from reclife.config.optimizers import SparseOptimizerConfig
from reclife.training import sparse
from reclife.training.growth import Touched
from reclife.training.parameter_server.residual import Residual
from reclife.training.parameter_server.wire import Wires
from reclife.training.sparse.optimizer import Pace, SparseOptimizer

Array = NDArray[Any]
Tensor = Any
Variable = Any

_CHUNK = 1 << 24
"""Numbers that travel at once where a whole table does: far below gRPC's largest message."""


class Pulled(NamedTuple):
    """Rows that a worker holds: `ids` `[U]` of the table, distinct, and their `rows` `[U, D]`.

    `parts` are the rows' numbers within each server's part, `order` where in `ids` they stand.
    """

    ids: Tensor
    rows: Tensor
    parts: Sequence[Tensor]
    order: Sequence[Tensor]

    def only(self, wanted: Tensor) -> "Pulled":
        """Return all of it where `wanted`, a boolean scalar, else nothing."""

        def cut(numbers: Tensor) -> Tensor:
            return numbers[: tf.size(numbers) * tf.cast(wanted, tf.int32)]

        return self._replace(
            parts=[cut(part) for part in self.parts], order=[cut(part) for part in self.order]
        )


@final
class Shards:
    """Tables `[V, D]` by name; row v lies on server v mod P, as its row v div P.

    `pull` and `push` are called while a worker's step is traced: what they do on a server is placed
    there, and only the rows' numbers and one message a direction travel. The tables `still` are
    not moved; rows not touched for `evict_after` steps are forgotten at `forget`.
    """

    def __init__(
        self,
        tables: Mapping[str, Array],
        servers: Sequence[str],
        config: SparseOptimizerConfig,
        wires: Wires,
        name: str,
        still: Collection[str] = (),
        evict_after: int | None = None,
    ) -> None:
        self._servers = tuple(servers)
        self._wires = wires
        self._shapes = {table: array.shape for table, array in tables.items()}
        self._variables: list[dict[str, Variable]] = []
        self._optimizers: list[SparseOptimizer] = []
        self._touched: list[Touched] = []
        for k, server in enumerate(servers):
            with tf.device(server):
                shapes = {t: (_size(v, k, len(servers)), d) for t, (v, d) in self._shapes.items()}
                held = {t: tf.Variable(tf.zeros(shape), name=t) for t, shape in shapes.items()}
                moving = {t: variable for t, variable in held.items() if t not in still}
                self._optimizers.append(sparse.build(config, moving))
                if evict_after is not None:
                    self._touched.append(Touched(moving, evict_after))
                self._variables.append(held)
        self._residuals = {t: Residual(f"{name}/{t}", v, d) for t, (v, d) in self._shapes.items()}
        self.assign(tables)

    def pull(self, table: str, ids: Tensor) -> Pulled:
        """Return the rows `ids` `[U]` (distinct, int32) of `table`."""
        count, dim = len(self._servers), self._shapes[table][1]
        parts, order = [ids], [tf.range(tf.size(ids))]
        if count > 1:
            parts = tf.dynamic_partition(ids // count, ids % count, count)
            order = tf.dynamic_partition(order[0], ids % count, count)
        messages = []
        for k, server in enumerate(self._servers):
            with tf.device(server):
                rows = tf.gather(self._variables[k][table], parts[k])
                messages.append(self._wires.pull.send(rows))
        found = [
            self._wires.pull.receive(message, tf.size(part), dim)
            for message, part in zip(messages, parts, strict=True)
        ]
        rows = found[0] if count == 1 else tf.dynamic_stitch(order, found)
        return Pulled(ids, rows, parts, order)

    def push(self, table: str, pulled: Pulled, gradient: Tensor, pace: Tensor) -> None:
        """Move the rows in `pulled.parts` by their `gradient` `[U, D]`.

        Args:
            table: The table's name.
            pulled: The rows.
            gradient: Of the loss, summed over all places of a row in the batch.
            pace: `[rate, step]`, float32.
        """
        dim = self._shapes[table][1]
        residual = self._residuals[table]
        wire = self._wires.push
        if not wire.exact:
            gradient = residual.corrected(pulled.ids, gradient)
        for k, server in enumerate(self._servers):
            mine = tf.gather(gradient, pulled.order[k])
            message = wire.send(mine)
            if not wire.exact:
                lost = mine - wire.receive(message, tf.size(pulled.parts[k]), dim)
                residual.keep(tf.gather(pulled.ids, pulled.order[k]), lost)
            with tf.device(server):
                received = wire.receive(message, tf.size(pulled.parts[k]), dim)
                self._optimizers[k].apply(table, pulled.parts[k], received, Pace(pace[0], pace[1]))
                if self._touched:
                    self._touched[k].mark(table, pulled.parts[k], pace[1])

    def forget(self, step: int) -> int:
        """Forget the rows that were not moved for `evict_after` steps; return how many."""
        count = 0
        for server, touched, optimizer in zip(
            self._servers, self._touched, self._optimizers, strict=False
        ):
            with tf.device(server):
                count += int(touched.forget(tf.constant(step, tf.int64), optimizer))
        return count

    def tables(self) -> dict[str, Array]:
        """Return every table whole."""
        return {table: _joined([held[table] for held in self._variables]) for table in self._shapes}

    def state(self) -> dict[str, Array]:
        """Return what is kept beside the rows, as of whole tables."""
        parts = self._slots()
        return {name: _joined([part[name] for part in parts]) for name in parts[0]}

    def names(self) -> list[str]:
        """Return the names in `state`."""
        return list(self._slots()[0])

    def assign(self, tables: Mapping[str, Array]) -> None:
        """Set every table."""
        for name, array in tables.items():
            self._cut(array, [held[name] for held in self._variables])

    def restore(self, state: Mapping[str, Array]) -> None:
        """Set what is kept beside the rows."""
        parts = self._slots()
        for name in parts[0]:
            self._cut(state[name], [part[name] for part in parts])

    def _slots(self) -> list[dict[str, Variable]]:
        """Return, for each server, what is kept beside its rows."""
        found = [optimizer.state() for optimizer in self._optimizers]
        noted = [touched.state() for touched in self._touched] or [{}] * len(found)
        return [part | more for part, more in zip(found, noted, strict=True)]

    def _cut(self, whole: Array, parts: Sequence[Variable]) -> None:
        for k, (server, part) in enumerate(zip(self._servers, parts, strict=True)):
            mine = whole[k :: len(parts)]
            for start, end in _chunks(part):
                with tf.device(server):
                    rows = tf.range(start, end)
                    part.scatter_update(tf.IndexedSlices(mine[start:end], rows))


def _joined(parts: Sequence[Variable]) -> Array:
    rows = sum(int(part.shape[0]) for part in parts)
    whole = np.empty((rows, *parts[0].shape[1:]), parts[0].dtype.as_numpy_dtype)
    for k, part in enumerate(parts):
        mine = whole[k :: len(parts)]
        for start, end in _chunks(part):
            mine[start:end] = part[start:end].numpy()
    return whole


def _size(rows: int, server: int, servers: int) -> int:
    """Return how many of `rows` rows lie on `server`."""
    return (rows - server + servers - 1) // servers


def _chunks(part: Variable) -> list[tuple[int, int]]:
    rows = int(part.shape[0])
    step = max(1, _CHUNK * rows // max(1, int(part.shape.num_elements())))
    return [(start, min(start + step, rows)) for start in range(0, rows, step)]
