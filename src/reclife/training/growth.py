"""Tables that grow with their vocabularies, and forget rows that nothing asks for any more."""

from collections.abc import Mapping
from typing import Any, final

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from reclife.training.sparse.optimizer import SparseOptimizer
from reclife.training.sparse.packs import Pack

Array = NDArray[Any]
Tensor = Any
Variable = Any

_SPARSE, _TOUCHED = "sparse", "touched"
_NEVER = np.iinfo(np.int64).min // 2
"""Of a row that was never touched: it holds nothing that could be forgotten."""


def grown(earlier: Array, new: Array) -> Array:
    """Return `new` `[V, D]` whose first rows are those of `earlier` `[v, D]`, bit for bit.

    Vocabularies only ever append, so a row means what it meant.
    """
    rows = np.array(new)
    rows[: len(earlier)] = earlier
    return rows


def by_table(state: Mapping[str, Array], packs: Mapping[str, Pack]) -> dict[str, Array]:
    """Return `state` with the slots of a pack cut into those of its tables."""
    cut = {}
    for name, array in state.items():
        kind, _, rest = name.partition("/")
        pack, _, slot = rest.partition("/")
        if kind != _SPARSE:
            cut[name] = array
        else:
            for table, rows in packs[pack].cut().items():
                cut[f"{_SPARSE}/{table}/{slot}"] = array[rows]
    return cut


def by_pack(state: Mapping[str, Array], packs: Mapping[str, Pack]) -> dict[str, Array]:
    """Return `state` with the slots of tables joined as `by_table` found them."""
    joined: dict[str, list[Array]] = {}
    owners = {table: name for name, pack in packs.items() for table in pack.tables}
    for name, array in state.items():
        kind, _, rest = name.partition("/")
        table, _, slot = rest.partition("/")
        whole = f"{_SPARSE}/{owners[table]}/{slot}" if kind == _SPARSE else name
        joined.setdefault(whole, []).append(array)
    return {
        name: np.concatenate(arrays) if name.startswith(f"{_SPARSE}/") else arrays[0]
        for name, arrays in joined.items()
    }


def aged(state: Mapping[str, Array], steps: int) -> dict[str, Array]:
    """Return `state` for a training that starts anew: what happened in it lies before step 0."""
    return {
        name: np.where(array == _NEVER, _NEVER, array - steps)
        if name.startswith(f"{_SPARSE}/") and name.endswith(f"/{_TOUCHED}")
        else array
        for name, array in state.items()
    }


@final
class Touched:
    """The step in which each row of each pack was last moved; it costs what the batch costs.

    Args:
        packs: The tables, `[V, D]`, by the name of their pack.
        after: Steps without being moved, after which a row is forgotten.
    """

    def __init__(self, packs: Mapping[str, Variable], after: int) -> None:
        self._packs = dict(packs)
        self._after = after
        self._steps = {
            name: tf.Variable(tf.fill(table.shape[:1], _NEVER), trainable=False)
            for name, table in packs.items()
        }

    def mark(self, pack: str, ids: Tensor, step: Tensor) -> None:
        """Note that the rows `ids` `[U]` moved in `step`."""
        tf.raw_ops.ResourceScatterUpdate(
            resource=self._steps[pack].handle,
            indices=ids,
            updates=tf.fill(tf.shape(ids), tf.cast(step, tf.int64)),
        )

    def forget(self, step: Tensor, optimizer: SparseOptimizer) -> Tensor:
        """Set rows that were not moved for long to zero, and their slots back; return how many."""
        count = tf.zeros((), tf.int64)
        for name, table in self._packs.items():
            last = self._steps[name]
            idle = (last > _NEVER) & (step - last > self._after)
            ids = tf.where(idle)[:, 0]
            rows = tf.zeros([tf.size(ids), table.shape[1]], table.dtype)
            tf.raw_ops.ResourceScatterUpdate(resource=table.handle, indices=ids, updates=rows)
            optimizer.reset(name, ids)
            self.mark(name, ids, tf.constant(_NEVER))
            count += tf.size(ids, tf.int64)
        return count

    def state(self) -> dict[str, Variable]:
        """Return the variables that a resume needs, by name."""
        return {f"{_SPARSE}/{name}/{_TOUCHED}": variable for name, variable in self._steps.items()}
