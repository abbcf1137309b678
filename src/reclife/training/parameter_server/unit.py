"""A unit of work: one batch on one worker, from pull to push."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, final

import keras
import tensorflow as tf

from reclife.config.training import TrainingConfig
from reclife.training.clipping import Gradients, clip
from reclife.training.parameter_server.columns import Columns
from reclife.training.parameter_server.forward import Forward, Weights
from reclife.training.parameter_server.ledger import Ledger
from reclife.training.parameter_server.shards import Pulled, Shards
from reclife.training.parameter_server.statistics import Statistics
from reclife.training.parameter_server.vector import Vector
from reclife.training.trainee import Trainee
from reclife.training.watch import watched

Tensor = Any


class Held(NamedTuple):
    """What the servers hold."""

    shards: Shards
    vector: Vector
    statistics: Statistics
    ledger: Ledger


class Pace(NamedTuple):
    """Both learning rates and the number of the step, from 1; float32 scalars."""

    sparse: Tensor
    dense: Tensor
    step: Tensor


class Found(NamedTuple):
    """What a unit found before its update: the numbers of `StepResult`, side by side, `[N]`.

    Loss, norm of the gradient, losses of the T tasks, and what is `watched`, by the order of names.
    """

    numbers: Tensor
    watched: tuple[str, ...]


@final
class Unit:
    """Traced once for all workers; whatever is not placed on a server runs where it is called.

    A batch whose loss or gradient is not finite moves nothing, so that no other one is spoilt.
    """

    def __init__(
        self, learner: Trainee, forward: Forward, held: Held, config: TrainingConfig
    ) -> None:
        self._model = learner.model
        self._packs = learner.packs
        self._moving = learner.moving
        self._forward = forward
        self._held = held
        self._clipping = config.clipping

    def __call__(
        self, columns: Columns, rows: Tensor, number: Tensor, pace: Pace, watch: bool
    ) -> Found:
        """Train on `rows` `[B]` of `columns`, unit `number` of the epoch."""
        inputs = dict(self._model.select(columns.inputs(rows)))
        pulled, places = self._pulled(inputs)
        weights = Weights(
            self._held.vector.pull(),
            self._held.statistics.pull(),
            {name: tf.gather(found.rows, places[name]) for name, found in pulled.items()},
        )
        step = tf.cast(pace.step, tf.int32)
        found, statistics = self._forward(weights, inputs, columns.targets(rows), step)
        gradients = self._summed(pulled, places, found.rows, found.dense)
        norm = gradients.norm()
        parts = self._watched(pulled, gradients, weights.dense) if watch else {}
        fine = tf.math.is_finite(found.loss) & tf.math.is_finite(norm)
        with tf.control_dependencies([self._held.ledger.begin(number)]):
            fine = tf.identity(fine)
        self._push(pulled, clip(gradients, self._clipping), pace, fine)
        self._held.statistics.push(weights.statistics, statistics, fine)
        numbers = [found.loss, norm, *tf.unstack(found.task_losses), *parts.values()]
        return Found(tf.stack(numbers), tuple(parts))

    def _watched(
        self, pulled: Mapping[str, Pulled], gradients: Gradients, dense: Sequence[Tensor]
    ) -> dict[str, Tensor]:
        ids = {name: tf.cast(found.ids, tf.int64) for name, found in pulled.items()}
        rows = {name: found.rows for name, found in pulled.items()}
        held = list(zip(self._forward.dense, dense, strict=True))
        with keras.StatelessScope(state_mapping=held):
            return watched(ids, gradients, self._moving, self._model.layers, rows)

    def _pulled(self, inputs: Mapping[str, Tensor]) -> tuple[dict[str, Pulled], dict[str, Tensor]]:
        """Return the distinct rows of each pack, and for every place `[P]` which of them it is."""
        pulled, places = {}, {}
        for name, pack in self._packs.items():
            unique = tf.unique(tf.cast(pack.flat(inputs), tf.int32))
            pulled[name], places[name] = self._held.shards.pull(name, unique.y), unique.idx
        return pulled, places

    def _summed(
        self,
        pulled: Mapping[str, Pulled],
        places: Mapping[str, Tensor],
        rows: Mapping[str, Tensor],
        dense: list[Tensor],
    ) -> Gradients:
        moving = self._moving
        ids = {name: tf.cast(pulled[name].ids, tf.int64) for name in moving}
        return Gradients(
            rows={
                name: tf.math.unsorted_segment_sum(rows[name], places[name], tf.size(ids[name]))
                for name in moving
            },
            owners={name: pack.table_numbers(ids[name]) for name, pack in moving.items()},
            tables={name: len(pack.tables) for name, pack in moving.items()},
            dense=dense,
        )

    def _push(
        self, pulled: Mapping[str, Pulled], gradients: Gradients, pace: Pace, fine: Tensor
    ) -> None:
        for name, gradient in gradients.rows.items():
            self._held.shards.push(
                name, pulled[name].only(fine), gradient, tf.stack([pace.sparse, pace.step])
            )
        if gradients.dense:
            dense = [tf.where(fine, gradient, 0.0) for gradient in gradients.dense]
            self._held.vector.push(dense, pace.dense)
