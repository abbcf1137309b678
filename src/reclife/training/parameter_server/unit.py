"""What a worker does with a batch: pull, compute, push."""

from collections.abc import Mapping
from typing import Any, NamedTuple, final

import keras
import tensorflow as tf

from reclife.config.training import TrainingConfig
from reclife.training.clipping import Gradients, clip
from reclife.training.objective import Targets
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


class Fetched(NamedTuple):
    """What a worker needs for a batch.

    `pulled` are the distinct rows of each pack, `places` `[P]` which of them every place has.
    """

    inputs: dict[str, Tensor]
    targets: Targets
    pulled: dict[str, Pulled]
    places: dict[str, Tensor]
    dense: list[Tensor]
    statistics: list[Tensor]


class Update(NamedTuple):
    """What a batch moves, where it is `fine`, and the numbers of `StepResult`, `[N]`.

    They are loss, norm of the gradient, losses of the T tasks, and what is watched. `rows`
    `[U, D]` by pack and `dense` are the clipped gradient.
    """

    numbers: Tensor
    fine: Tensor
    rows: dict[str, Tensor]
    dense: list[Tensor]
    statistics: list[Tensor]


@final
class Unit:
    """Traced once for all workers; whatever is not placed on a server runs where it is called.

    A batch whose loss or gradient is not finite moves nothing, so that no other one is spoilt.
    """

    def __init__(
        self,
        learner: Trainee,
        forward: Forward,
        held: Held,
        columns: Columns,
        config: TrainingConfig,
        *,
        watch: bool,
    ) -> None:
        self.watched: tuple[str, ...] = ()
        self._model = learner.model
        self._packs = learner.packs
        self._moving = learner.moving
        self._forward = forward
        self._held = held
        self._columns = columns
        self._clipping = config.clipping
        self._watch = watch

    def pull(self, rows: Tensor) -> Fetched:
        """Return what the batch of the examples `rows` `[B]` needs."""
        inputs = dict(self._model.select(self._columns.inputs(rows)))
        pulled, places = self._pulled(inputs)
        return Fetched(
            inputs,
            self._columns.targets(rows),
            pulled,
            places,
            self._held.vector.pull(),
            self._held.statistics.pull(),
        )

    def compute(self, fetched: Fetched, pace: Pace) -> Update:
        """Return what the batch moves; tracing it fills in the names of what is `watched`."""
        rows = {n: tf.gather(p.rows, fetched.places[n]) for n, p in fetched.pulled.items()}
        weights = Weights(fetched.dense, fetched.statistics, rows)
        step = tf.cast(pace.step, tf.int32)
        found, statistics = self._forward(weights, fetched.inputs, fetched.targets, step)
        gradients = self._summed(fetched, found.rows, found.dense)
        norm = gradients.norm()
        parts = self._watched(fetched, gradients) if self._watch else {}
        self.watched = tuple(parts)
        numbers = [found.loss, norm, *tf.unstack(found.task_losses), *parts.values()]
        fine = tf.math.is_finite(found.loss) & tf.math.is_finite(norm)
        clipped = clip(gradients, self._clipping)
        return Update(tf.stack(numbers), fine, dict(clipped.rows), list(clipped.dense), statistics)

    def push(self, fetched: Fetched, update: Update, number: Tensor, pace: Pace) -> None:
        """Move what the servers hold by the `update` of batch `number` of the epoch."""
        with tf.control_dependencies([self._held.ledger.begin(number)]):
            fine = tf.identity(update.fine)
        rates = tf.stack([pace.sparse, pace.step])
        for name, gradient in update.rows.items():
            self._held.shards.push(name, fetched.pulled[name].only(fine), gradient, rates)
        if update.dense:
            dense = [tf.where(fine, gradient, 0.0) for gradient in update.dense]
            self._held.vector.push(dense, pace.dense)
        self._held.statistics.push(fetched.statistics, update.statistics, fine)

    def _watched(self, fetched: Fetched, gradients: Gradients) -> dict[str, Tensor]:
        ids = {name: tf.cast(found.ids, tf.int64) for name, found in fetched.pulled.items()}
        rows = {name: found.rows for name, found in fetched.pulled.items()}
        held = list(zip(self._forward.dense, fetched.dense, strict=True))
        with keras.StatelessScope(state_mapping=held):
            return watched(ids, gradients, self._moving, self._model.layers, rows)

    def _pulled(self, inputs: Mapping[str, Tensor]) -> tuple[dict[str, Pulled], dict[str, Tensor]]:
        pulled, places = {}, {}
        for name, pack in self._packs.items():
            unique = tf.unique(tf.cast(pack.flat(inputs), tf.int32))
            pulled[name], places[name] = self._held.shards.pull(name, unique.y), unique.idx
        return pulled, places

    def _summed(
        self, fetched: Fetched, rows: Mapping[str, Tensor], dense: list[Tensor]
    ) -> Gradients:
        moving = self._moving
        ids = {name: tf.cast(fetched.pulled[name].ids, tf.int64) for name in moving}
        return Gradients(
            rows={
                name: tf.math.unsorted_segment_sum(
                    rows[name], fetched.places[name], tf.size(ids[name])
                )
                for name in moving
            },
            owners={name: pack.table_numbers(ids[name]) for name, pack in moving.items()},
            tables={name: len(pack.tables) for name, pack in moving.items()},
            dense=dense,
        )
