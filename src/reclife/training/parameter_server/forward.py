"""The model as a function of weights that lie elsewhere: loss and gradients."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, final

import keras
import tensorflow as tf

from reclife.config.training import TrainingConfig
from reclife.training.objective import Targets
from reclife.training.sparse.packs import by_feature, by_place
from reclife.training.trainee import Trainee

Tensor = Any
Variable = Any


class Weights(NamedTuple):
    """What a worker holds while it computes.

    `dense` are the values of the variables that are learnt, `statistics` those of what layers have
    besides, `rows` `[P, D]` the row of every place of each pack.
    """

    dense: Sequence[Tensor]
    statistics: Sequence[Tensor]
    rows: Mapping[str, Tensor]


class Computed(NamedTuple):
    """Loss, losses of the tasks, gradients as in `Weights`, and the statistics afterwards."""

    loss: Tensor
    task_losses: Tensor
    rows: dict[str, Tensor]
    dense: list[Tensor]
    statistics: list[Tensor]


@final
class Forward:
    """Loss and gradients of `model`, whose own variables are neither read nor written.

    Random numbers follow from the number of the step, so that one done twice draws them again.
    """

    def __init__(self, learner: Trainee, config: TrainingConfig) -> None:
        model = self._model = learner.model
        self._objective = learner.objective
        self._packs = learner.packs
        self._moving = learner.moving
        self.dense: list[Variable] = learner.variables
        layers = model.layers.values()
        learnt = {id(variable) for variable in self.dense}
        weights = [v for layer in layers for v in layer.weights] + learner.objective.variables
        self.statistics: list[Variable] = [v for v in weights if id(v) not in learnt]
        self._random: list[Variable] = [
            v for x in layers for v in x.variables if not any(v is weight for weight in x.weights)
        ]
        self._seeds = [v.numpy() for v in self._random]
        self._compute = tf.function(self._gradients, autograph=False, jit_compile=config.xla)

    def __call__(
        self, weights: Weights, inputs: Mapping[str, Tensor], targets: Targets, step: Tensor
    ) -> Computed:
        """Return loss and gradients on the batch of step number `step`, int32."""
        return self._compute(weights, inputs, targets, step)

    def _gradients(
        self, weights: Weights, inputs: Mapping[str, Tensor], targets: Targets, step: Tensor
    ) -> Computed:
        named = by_feature(self._packs, weights.rows, inputs)
        moving = {f.name: named[f.name] for p in self._moving.values() for f in p.features}
        dense = list(weights.dense)
        seeds = [tf.cast(s, v.dtype) + tf.cast(step, v.dtype) for s, v in self._drawn()]
        held = [
            *zip(self.dense, dense, strict=True),
            *zip(self.statistics, weights.statistics, strict=True),
            *zip(self._random, seeds, strict=True),
        ]
        with tf.GradientTape() as tape, keras.StatelessScope(state_mapping=held) as scope:
            tape.watch([moving, dense])
            logits = self._model.logits(named, inputs, training=True)
            loss, task_losses = self._objective(logits, targets)
            size = tf.cast(tf.shape(targets.labels)[0], tf.float32)
            total = loss + self._model.penalty(named, inputs, size)
        named_grads, dense_grads = tape.gradient(
            total, (moving, dense), unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        row_grads = by_place(self._moving, named_grads, weights.rows)
        statistics = [scope.get_current_value(v) for v in self.statistics]
        return Computed(loss, task_losses, row_grads, dense_grads, statistics)

    def _drawn(self) -> list[tuple[Any, Variable]]:
        return list(zip(self._seeds, self._random, strict=True))
