"""One step of training: forward, backward, and both updates."""

from collections.abc import Mapping
from typing import Any, NamedTuple, final

import keras
import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from reclife.config.training import TrainingConfig
from reclife.errors import ArtifactError
from reclife.models.ranking import RankingModel
from reclife.models.saved import compiled
from reclife.training.examples import Examples
from reclife.training.sparse import gather, look_ups, row_gradients, sparse_optimizer

Array = NDArray[Any]
Tensor = Any
Variable = Any


class StepResult(NamedTuple):
    """Mean loss of the batch before the update, and the norm of the whole gradient."""

    loss: float
    gradient_norm: float


@final
class Trainer:
    """A model with the optimisers that move it.

    The cost of a step follows from the rows the batch touches, never from the size of a table.
    The dense forward and backward pass has static shapes, so it alone is compiled by XLA when
    that is declared.
    """

    def __init__(self, model: RankingModel, config: TrainingConfig) -> None:
        self.model = model
        self._sparse = sparse_optimizer(config.sparse_optimizer, model.tables)
        self._dense = keras.optimizers.Adam(config.dense_optimizer.learning_rate)
        self._dense.build(model.dense_variables)
        self._compute = tf.function(
            self._loss_and_gradients, autograph=False, jit_compile=config.xla
        )
        rows = tf.TensorSpec([None], tf.float32)
        self._step = tf.function(
            self._update, input_signature=[model.signature(), rows, rows], autograph=False
        )
        self.score = compiled(model)

    @property
    def learning_rate(self) -> float:
        """The learning rate of the dense part."""
        return float(self._dense.learning_rate)

    def step(self, batch: Examples) -> StepResult:
        """Train on `batch`."""
        inputs = {name: tf.constant(array) for name, array in batch.inputs.items()}
        loss, norm = self._step(inputs, tf.constant(batch.labels), tf.constant(batch.weights))
        return StepResult(float(loss), float(norm))

    def _update(
        self, inputs: Mapping[str, Tensor], labels: Tensor, weights: Tensor
    ) -> tuple[Tensor, Tensor]:
        model, inputs = self.model, self.model.select(inputs)
        found = look_ups(model.embedded, inputs)
        rows = gather(model.tables, found, model.embedded, inputs)
        loss, row_grads, dense_grads = self._compute(rows, inputs, labels, weights)
        table_grads = row_gradients(row_grads, found, model.embedded)
        norm = tf.linalg.global_norm([*table_grads.values(), *dense_grads])
        self._sparse.begin_step()
        for table, gradient in table_grads.items():
            self._sparse.apply(table, found[table].ids, gradient)
        self._dense.apply(dense_grads, model.dense_variables)
        return loss, norm

    def _loss_and_gradients(
        self,
        rows: Mapping[str, Tensor],
        inputs: Mapping[str, Tensor],
        labels: Tensor,
        weights: Tensor,
    ) -> tuple[Tensor, dict[str, Tensor], list[Tensor]]:
        dense = [variable.value for variable in self.model.dense_variables]
        with tf.GradientTape() as tape:
            tape.watch(rows)
            logits = self.model.score(rows, inputs, training=True)
            losses = tf.nn.sigmoid_cross_entropy_with_logits(labels, logits[:, 0])
            loss = tf.reduce_sum(losses * weights) / tf.reduce_sum(weights)
            total = loss + self.model.penalty(rows, inputs)
        row_grads, dense_grads = tape.gradient(
            total, (dict(rows), dense), unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        return loss, row_grads, dense_grads

    def state(self) -> dict[str, Array]:
        """Return every value that a resume needs, by name."""
        return {name: variable.numpy() for name, variable in self._variables().items()}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Go back to `state`.

        Raises:
            ArtifactError: The names are not those of this trainer.
        """
        variables = self._variables()
        if different := sorted(variables.keys() ^ state.keys()):
            raise ArtifactError(f"The checkpoint does not fit the model: {', '.join(different)}.")
        for name, variable in variables.items():
            variable.assign(np.asarray(state[name]))

    def _variables(self) -> dict[str, Variable]:
        optimizer = {
            f"dense_optimizer/{i}": variable.value
            for i, variable in enumerate(self._dense.variables)
        }
        return self.model.weights() | self.model.random_states() | self._sparse.state() | optimizer
