"""Units of work as functions that every worker can be asked to do."""

from functools import cache, cached_property, partial
from typing import Any, final

import tensorflow as tf

from reclife.training.parameter_server.columns import Columns
from reclife.training.parameter_server.unit import Pace, Unit

Tensor = Any


@final
class Traced:
    """A `unit` over `columns`, traced when it is first asked for."""

    def __init__(self, unit: Unit, columns: Columns, watch: bool) -> None:
        self.watched: tuple[str, ...] = ()
        self._unit = partial(unit, columns, watch=watch)
        self.function = cache(self._function)

    @cached_property
    def _batch(self) -> Any:
        """One batch as a function of its own: the next one begins when all of it is done."""
        number, scalar = tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)
        signature = [tf.TensorSpec([None], tf.int32), number, Pace(scalar, scalar, scalar)]
        return tf.function(self._found, input_signature=signature, autograph=False)

    def _found(self, rows: Tensor, number: Tensor, pace: Pace) -> Tensor:
        """Return the numbers of a batch; tracing it fills in the names of what is `watched`."""
        found = self._unit(rows, number, pace)
        self.watched = found.watched
        return found.numbers

    def _function(self, count: int) -> Any:
        """Return the function of `count` batches, done one after the other.

        It takes their rows, joined, how many each has, their numbers, and their paces `[count, 3]`.
        """

        def batches(rows: Tensor, sizes: Tensor, numbers: Tensor, paces: Tensor) -> Tensor:
            parts = tf.split(rows, sizes, num=count)
            return tf.stack(
                [
                    self._batch(part, numbers[i], Pace(*tf.unstack(paces[i])))
                    for i, part in enumerate(parts)
                ]
            )

        integers = tf.TensorSpec([count], tf.int32)
        paces = tf.TensorSpec([count, len(Pace._fields)], tf.float32)
        signature = [tf.TensorSpec([None], tf.int32), integers, integers, paces]
        # Traced here: a Keras optimiser cannot be where the coordinator would do it.
        return tf.function(
            batches, input_signature=signature, autograph=False
        ).get_concrete_function()
