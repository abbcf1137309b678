"""Tables of one dimension in one variable: one gather and one update for all of them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, final

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from reclife.contracts import PADDING_ID, Feature

Array = NDArray[Any]
Tensor = Any
Variable = Any

_TOGETHER: Mapping[str, str] = MappingProxyType({})


class Places(NamedTuple):
    """The distinct rows that a batch asks of a pack, and who asked for them.

    `ids` `[U]` are rows of the pack. The P places of the batch are those of the first feature
    first: `positions` `[P]` points into `ids`; `order` `[P]` sorts the places by position.
    """

    ids: Tensor
    positions: Tensor
    order: Tensor


@final
class Pack:
    """Tables `[V_t, D]` one below the other, `[V, D]`, and the features that look them up.

    A single table is its own pack; several are copied, see `fill` and `empty`.
    """

    def __init__(self, tables: Mapping[str, Variable], features: Sequence[Feature]) -> None:
        self._tables = dict(tables)
        self.features = tuple(features)
        sizes = [int(table.shape[0]) for table in tables.values()]
        self._ends = np.cumsum(sizes)
        self._offsets = dict(zip(tables, self._ends - sizes, strict=True))
        self._scratch = np.zeros(sum(sizes), np.int32)
        first = next(iter(tables.values()))
        with tf.device(first.device):
            self.variable = first if len(tables) == 1 else tf.Variable(self._joined())

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, from the top."""
        return tuple(self._tables)

    def cut(self) -> dict[str, slice]:
        """Return the rows of the pack that each table has."""
        return {
            name: slice(int(start), int(end))
            for (name, start), end in zip(self._offsets.items(), self._ends, strict=True)
        }

    def fill(self) -> None:
        """Take over what the tables hold."""
        if len(self._tables) > 1:
            self.variable.assign(self._joined())

    def empty(self) -> None:
        """Give the tables what the pack holds."""
        if len(self._tables) > 1:
            for name, table in self._tables.items():
                start = int(self._offsets[name])
                table.assign(self.variable[start : start + int(table.shape[0])])

    def _joined(self) -> Array:
        return np.concatenate([table.numpy() for table in self._tables.values()])

    def places(self, inputs: Mapping[str, Array]) -> Places:
        """Return the places of a batch in time that depends on the batch alone.

        Args:
            inputs: The ids of each feature, `[B]` or `[B, L]`.
        """
        flat = np.concatenate(
            [inputs[f.name].reshape(-1) + self._offsets[str(f.table)] for f in self.features]
        )
        count = np.arange(len(flat), dtype=np.int32)
        self._scratch[flat] = count
        last = self._scratch[flat]  # the last place that holds the same id
        chosen = last == count
        number = np.cumsum(chosen, dtype=np.int32) - 1
        positions = number[last]
        return Places(flat[chosen], positions, _sorting(positions))

    def flat(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """Return the row of the pack at every place of a batch, `[P]`, int64.

        Args:
            inputs: The ids of each feature, `[B]` or `[B, L]`.
        """
        return tf.concat(
            [
                tf.reshape(inputs[f.name], [-1]) + int(self._offsets[str(f.table)])
                for f in self.features
            ],
            axis=0,
        )

    def rows(self, places: Places) -> Tensor:
        """Return the row of every place, `[P, D]`, reading each distinct row once."""
        return tf.gather(tf.gather(self.variable, places.ids), places.positions)

    def summed(self, gradient: Tensor, places: Places) -> Tensor:
        """Return the gradient `[U, D]` of the distinct rows from that of the places, `[P, D]`."""
        together = tf.gather(gradient, places.order)
        return tf.math.segment_sum(together, tf.gather(places.positions, places.order))

    def table_numbers(self, ids: Tensor) -> Tensor:
        """Return for each row of the pack in `ids` the number of its table, `[U]`."""
        return tf.searchsorted(tf.constant(self._ends), ids, side="right", out_type=tf.int32)

    def padding(self, ids: Tensor) -> Tensor:
        """Return whether each row of the pack in `ids` is a table's padding, `[U]`."""
        rows = tf.constant([int(o) + PADDING_ID for o in self._offsets.values()], tf.int64)
        return tf.reduce_any(tf.equal(ids[:, tf.newaxis], rows), axis=1)


def packs(
    tables: Mapping[str, Variable],
    features: Sequence[Feature],
    apart: Mapping[str, str] = _TOGETHER,
) -> dict[str, Pack]:
    """Return packs of the `tables`, with the `features` that use them.

    Tables of one dimension are together, as far as `apart` does not give them different marks.
    """
    grouped: dict[str, dict[str, Variable]] = {}
    for name, table in tables.items():
        grouped.setdefault(f"dim_{table.shape[1]}{apart.get(name, '')}", {})[name] = table
    return {
        pack: Pack(members, [f for f in features if f.table in members])
        for pack, members in grouped.items()
    }


def by_feature(
    packs: Mapping[str, Pack], rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """Return the rows `[B, D]` or `[B, L, D]` of each feature from those of each pack, `[P, D]`."""
    named = {}
    for name, pack in packs.items():
        sizes = [tf.size(inputs[feature.name]) for feature in pack.features]
        parts = tf.split(rows[name], sizes, num=len(sizes))
        for feature, part in zip(pack.features, parts, strict=True):
            dim = rows[name].shape[-1]
            named[feature.name] = tf.reshape(part, [-1, *inputs[feature.name].shape[1:], dim])
    return named


def by_place(
    packs: Mapping[str, Pack], named: Mapping[str, Tensor], rows: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """Return what belongs to the places of each pack, `[P, D]`, from what belongs to features.

    Args:
        packs: The packs to return.
        named: `[B, D]` or `[B, L, D]` by feature.
        rows: Of each pack, `[P, D]`; they tell D.
    """
    return {
        name: tf.concat(
            [tf.reshape(named[f.name], [-1, rows[name].shape[-1]]) for f in pack.features], axis=0
        )
        for name, pack in packs.items()
    }


def _sorting(positions: Array) -> Array:
    """Return the stable order that sorts `positions`, by counting: in linear time."""
    size = len(positions)
    count = np.arange(size, dtype=np.int32)
    columns = np.arange(size + 1, dtype=np.int32)
    rows = int(positions.max(initial=-1)) + 1
    order: Array = csc_matrix((count, positions, columns), shape=(rows, size)).tocsr().data
    return order
