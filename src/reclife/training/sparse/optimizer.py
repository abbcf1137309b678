"""What every sparse optimiser has: slots beside the tables, and a rule for the rows of a batch."""

import abc
from collections.abc import Mapping
from typing import Any, NamedTuple

import tensorflow as tf

from reclife.config.optimizers import SparseOptimizerConfig

Tensor = Any
Variable = Any

EPSILON = 1e-7
WEIGHT = "weight"
"""The name by which a rule finds the rows themselves."""


class Slot(NamedTuple):
    """Numbers kept for each row: their first value and how many, D or one."""

    start: float
    one_a_row: bool = False


class Pace(NamedTuple):
    """The learning rate and the number of the step, from 1; both float32 scalars."""

    rate: Tensor
    step: Tensor


class Moved(NamedTuple):
    """What is taken from the rows, `[U, D]`, and their slots afterwards."""

    change: Tensor
    slots: dict[str, Tensor]


class SparseOptimizer(abc.ABC):
    """Moves single rows of the tables it was made for.

    A step costs what its rows cost: nothing here depends on how many rows a table has.
    """

    def __init__(self, config: SparseOptimizerConfig, tables: Mapping[str, Variable]) -> None:
        self.config: Any = config
        self._tables = dict(tables)
        self._slots = {
            table: {name: _variable(slot, variable) for name, slot in self.slots().items()}
            for table, variable in tables.items()
        }

    @abc.abstractmethod
    def slots(self) -> dict[str, Slot]:
        """Return what is kept for each row, by name."""

    @abc.abstractmethod
    def move(self, held: Mapping[str, Tensor], gradient: Tensor, pace: Pace) -> Moved:
        """Return how the rows of a batch move.

        Args:
            held: The slots of the rows, `[U, D]` or `[U, 1]`; under `WEIGHT` the rows themselves.
            gradient: Of the loss, summed over all places of a row in the batch, `[U, D]`.
            pace: How far to go.
        """

    def apply(self, table: str, ids: Tensor, gradient: Tensor, pace: Pace) -> None:
        """Move the rows `ids` `[U]` (distinct) of `table` by their `gradient` `[U, D]`."""
        held = {WEIGHT: self._tables[table], **self._slots[table]}
        rows = {name: tf.gather(variable, ids) for name, variable in held.items()}
        moved = self.move(rows, gradient, pace)
        # Not subtracted in place: where kernels are deterministic that is done by one thread.
        for name, values in {**moved.slots, WEIGHT: rows[WEIGHT] - moved.change}.items():
            tf.raw_ops.ResourceScatterUpdate(
                resource=held[name].handle, indices=ids, updates=values
            )

    def reset(self, table: str, ids: Tensor) -> None:
        """Give the rows `ids` `[U]` of `table` the slots of rows that were never moved."""
        for name, slot in self.slots().items():
            variable = self._slots[table][name]
            start = tf.fill([tf.size(ids), variable.shape[1]], slot.start)
            tf.raw_ops.ResourceScatterUpdate(
                resource=variable.handle, indices=ids, updates=tf.cast(start, variable.dtype)
            )

    def state(self) -> dict[str, Variable]:
        """Return the variables that a resume needs, by name."""
        return {
            f"sparse/{table}/{name}": variable
            for table, slots in self._slots.items()
            for name, variable in slots.items()
        }


def _variable(slot: Slot, table: Variable) -> Variable:
    shape = (table.shape[0], 1) if slot.one_a_row else table.shape
    with tf.device(table.device):
        return tf.Variable(tf.fill(shape, tf.constant(slot.start, table.dtype)), trainable=False)
