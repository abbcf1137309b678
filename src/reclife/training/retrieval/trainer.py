"""A retrieval model with the optimiser that moves it."""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.neural import NeuralConfig
from reclife.models.retrieval.model import RetrievalModel
from reclife.runtime.seeds import derive
from reclife.training.clipping import Gradients, clip
from reclife.training.retrieval.adam import Adam
from reclife.training.retrieval.batches import Batch
from reclife.training.retrieval.objective import Objective, Sides
from reclife.training.schedules import Moment, factor

Tensor = Any


@final
class Trainer:
    """Trains a step at a time.

    A step costs time in proportion to the catalogue, at least that of one update of every vector.
    """

    def __init__(
        self, model: RetrievalModel, objective: Objective, config: NeuralConfig, steps: int
    ) -> None:
        self.model = model
        self._objective = objective
        self._variables = model.variables_to_train
        self._optimizer = Adam(self._variables, config.weight_decay)
        self._config, self._steps = config, steps
        self._seed = derive(config.seed, "negatives")
        self._step: Any = None
        self._done = 0

    def step(self, batch: Batch) -> Tensor:
        """Train on `batch` and return its loss."""
        inputs = {name: tf.constant(array) for name, array in batch.inputs.items()}
        now = tf.constant(self._done), tf.constant(self._rate(), tf.float32)
        given = inputs, tf.constant(batch.rows), tf.constant(batch.targets), *now
        if self._step is None:
            self._step = tf.function(
                self._update, input_signature=_of_any_size(given), autograph=False
            )
        self._done += 1
        return self._step(*given)

    def _rate(self) -> float:
        """Return the learning rate of the next step."""
        declared, done, steps = self._config.schedule, self._done, self._steps
        if declared is None:
            share = min(1.0 - done / steps, (done + 1) / (steps / 100 + 1))
        else:
            share = factor(declared, Moment(done, steps, rows=()))
        return self._config.learning_rate * share

    def _update(
        self,
        inputs: Mapping[str, Tensor],
        rows: Tensor,
        targets: Tensor,
        step: Tensor,
        rate: Tensor,
    ) -> Tensor:
        with tf.GradientTape() as tape:
            sides = Sides(*self.model.forward(inputs, training=True), self.model.item_bias())
            loss = self._objective(sides, rows, targets, tf.stack([self._seed, step]))
        gradients = tape.gradient(
            loss, self._variables, unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        found = Gradients(rows={}, owners={}, tables={}, dense=gradients)
        self._optimizer.apply(clip(found, self._config.clipping).dense, step, rate)
        return loss


def _of_any_size(given: Any) -> Any:
    """Return the signature of tensors of these ranks: the graph is traced once for all batches."""
    return tf.nest.map_structure(lambda t: tf.TensorSpec([None] * t.shape.rank, t.dtype), given)
