"""The model as a function of weights that lie elsewhere: loss and gradients."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, final

import keras
import tensorflow as tf

from reclife.config.training import TrainingConfig
from reclife.training.backward import Given, Loss, differentiated
from reclife.training.objective import Targets
from reclife.training.precision import NoScaling
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
    """What the pass found, and the statistics afterwards."""

    found: Loss
    statistics: list[Tensor]


@final
class Forward:
    """Loss and gradients of `model`, whose own variables are neither read nor written.

    Random numbers follow from the number of the step, so that one done twice draws them again.
    """

    def __init__(self, learner: Trainee, config: TrainingConfig) -> None:
        self._learner = learner
        self.dense: list[Variable] = learner.variables
        layers = learner.model.layers.values()
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
        dense = list(weights.dense)
        seeds = [tf.cast(s, v.dtype) + tf.cast(step, v.dtype) for s, v in self._drawn()]
        held = [
            *zip(self.dense, dense, strict=True),
            *zip(self.statistics, weights.statistics, strict=True),
            *zip(self._random, seeds, strict=True),
        ]
        counts = self._learner.objective.counts(targets)
        size = tf.cast(tf.shape(targets.labels)[0], tf.float32)
        given = Given(weights.rows, inputs, targets, counts, size)
        with keras.StatelessScope(state_mapping=held) as scope:
            found = differentiated(self._learner, given, dense, NoScaling())
        return Computed(found, [scope.get_current_value(v) for v in self.statistics])

    def _drawn(self) -> list[tuple[Any, Variable]]:
        return list(zip(self._seeds, self._random, strict=True))
