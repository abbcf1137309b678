"""Units of work as functions that every worker can be asked to do."""

from functools import cache
from typing import Any, final

import tensorflow as tf

from reclife.training.parameter_server.unit import Pace, Unit

Tensor = Any


@final
class Traced:
    """The batches of a `unit` of work in one function, traced when it is first asked for.

    What touches the servers is ordered as it is written here. With `prefetch` the next batch is
    pulled before the current one is pushed, while that is computed: its rows miss one update.
    """

    def __init__(self, unit: Unit, *, prefetch: bool) -> None:
        self._unit = unit
        self._prefetch = prefetch
        self._pull = tf.function(unit.pull, autograph=False)
        self._compute = tf.function(unit.compute, autograph=False)
        self._push = tf.function(unit.push, autograph=False)
        self.function = cache(self._function)

    @property
    def watched(self) -> tuple[str, ...]:
        """The names of what is watched, once it was traced."""
        return self._unit.watched

    def _function(self, count: int) -> Any:
        """Return the function of `count` batches.

        It takes their rows, joined, how many each has, their numbers, and their paces `[count, 3]`.
        """

        def batches(rows: Tensor, sizes: Tensor, numbers: Tensor, paces: Tensor) -> Tensor:
            parts, found = tf.split(rows, sizes, num=count), []
            fetched = following = self._pull(parts[0])
            for i, after in enumerate([*parts[1:], None]):
                pace = Pace(*tf.unstack(paces[i]))
                if self._prefetch and after is not None:
                    following = self._pull(after)
                update = self._compute(fetched, pace)
                self._push(fetched, update, numbers[i], pace)
                if not self._prefetch and after is not None:
                    following = self._pull(after)
                fetched = following
                found.append(update.numbers)
            return tf.stack(found)

        integers = tf.TensorSpec([count], tf.int32)
        paces = tf.TensorSpec([count, len(Pace._fields)], tf.float32)
        signature = [tf.TensorSpec([None], tf.int32), integers, integers, paces]
        # Traced here: a Keras optimiser cannot be where the coordinator would do it.
        return tf.function(
            batches, input_signature=signature, autograph=False
        ).get_concrete_function()
