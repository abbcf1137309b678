"""One step of training: forward, backward, and both updates."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple, final

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec
from reclife.errors import ArtifactError
from reclife.models.ranking import RankingModel
from reclife.models.saved import compiled
from reclife.training import dense, sparse
from reclife.training.clipping import Gradients, clip
from reclife.training.examples import Examples
from reclife.training.objective import Objective, Targets
from reclife.training.sparse.optimizer import Pace
from reclife.training.sparse.packs import Places, packs
from reclife.training.watch import watched

Array = NDArray[Any]
Tensor = Any
Variable = Any


class Batch(NamedTuple):
    """A batch as tensors: what is scored, which rows of which pack that takes, and the truth."""

    inputs: dict[str, Tensor]
    places: dict[str, Places]
    targets: Targets


class Rates(NamedTuple):
    """The learning rates of a step, and its number from 1 since training began."""

    sparse: float
    dense: float
    step: int


class StepResult(NamedTuple):
    """What a step found before its update.

    `loss` is what is minimised, `task_losses` `[T]` the loss of each task, `gradient_norm` that of
    the whole gradient before it is clipped, `watched` what was asked for besides.
    """

    loss: float
    task_losses: Array
    gradient_norm: float
    watched: dict[str, float]


@final
class Trainer:
    """A model with the optimisers that move it.

    The cost of a step follows from the rows the batch touches, never from the size of a table.
    The dense forward and backward pass has static shapes, so it alone is compiled by XLA when
    that is declared. The tables are packed: the model's own follow at `unpack`.
    """

    def __init__(self, model: RankingModel, config: TrainingConfig, spec: FeatureSpec) -> None:
        self.model = model
        self.objective = Objective(config.objective, spec)
        self.packs = packs(model.tables, model.embedded)
        self._clipping = config.clipping
        self._dense_variables = [*model.dense_variables, *self.objective.variables]
        self._sparse = sparse.build(
            config.sparse_optimizer, {name: pack.variable for name, pack in self.packs.items()}
        )
        self._dense = dense.build(config.dense_optimizer)
        self._dense.build(self._dense_variables)
        self._compute = tf.function(
            self._loss_and_gradients, autograph=False, jit_compile=config.xla
        )
        signature = [self._signature(), *[tf.TensorSpec([], tf.float32)] * 3]
        self._steps = {
            watch: tf.function(
                partial(self._update, watch=watch), input_signature=signature, autograph=False
            )
            for watch in (False, True)
        }
        self.score = compiled(model)

    def prepare(self, examples: Examples) -> Batch:
        """Return `examples` as `step` takes them; may run beside a step, in one other thread."""
        inputs = self.model.select({n: tf.constant(array) for n, array in examples.inputs.items()})
        ids = {feature.name: inputs[feature.name].numpy() for feature in self.model.embedded}
        places = {name: pack.places(ids) for name, pack in self.packs.items()}
        _, groups = np.unique(examples.groups, return_inverse=True)
        return Batch(
            dict(inputs),
            {name: Places(*map(tf.constant, found)) for name, found in places.items()},
            Targets(
                tf.constant(examples.labels),
                tf.constant(examples.weights),
                tf.constant(groups.astype(np.int32)),
            ),
        )

    def step(self, batch: Batch, rates: Rates, *, watch: bool = False) -> StepResult:
        """Train on `batch`."""
        loss, norm, task_losses, watched = self._steps[watch](
            batch, *[tf.constant(rate, tf.float32) for rate in rates]
        )
        found = {name: float(value) for name, value in watched.items()}
        return StepResult(float(loss), task_losses.numpy(), float(norm), found)

    def _update(
        self, batch: Batch, sparse_rate: Tensor, dense_rate: Tensor, step: Tensor, watch: bool
    ) -> tuple[Tensor, Tensor, Tensor, dict[str, Tensor]]:
        rows = {name: pack.rows(batch.places[name]) for name, pack in self.packs.items()}
        loss, task_losses, row_grads, dense_grads = self._compute(rows, batch.inputs, batch.targets)
        gradients = Gradients(
            rows={n: p.summed(row_grads[n], batch.places[n]) for n, p in self.packs.items()},
            owners={n: p.table_numbers(batch.places[n].ids) for n, p in self.packs.items()},
            tables={n: len(p.tables) for n, p in self.packs.items()},
            dense=dense_grads,
        )
        norm = gradients.norm()
        watched = self._watched(batch, gradients) if watch else {}
        clipped = clip(gradients, self._clipping)
        for name, gradient in clipped.rows.items():
            self._sparse.apply(name, batch.places[name].ids, gradient, Pace(sparse_rate, step))
        self._dense.learning_rate.assign(dense_rate)
        self._dense.apply(clipped.dense, self._dense_variables)
        return loss, norm, task_losses, watched

    def _loss_and_gradients(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], targets: Targets
    ) -> tuple[Tensor, Tensor, dict[str, Tensor], list[Tensor]]:
        variables = [variable.value for variable in self._dense_variables]
        named = self._by_feature(rows, inputs)
        with tf.GradientTape() as tape:
            # The parts are watched, not the packs: the gradient of a slice is as large as its pack.
            tape.watch(named)
            logits = self.model.score(named, inputs, training=True)
            loss, task_losses = self.objective(logits, targets)
            total = loss + self.model.penalty(named, inputs)
        named_grads, dense_grads = tape.gradient(
            total, (named, variables), unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        row_grads = {
            name: tf.concat(
                [tf.reshape(named_grads[f.name], [-1, x.shape[-1]]) for f in pack.features], axis=0
            )
            for (name, pack), x in zip(self.packs.items(), rows.values(), strict=True)
        }
        return loss, task_losses, row_grads, dense_grads

    def _by_feature(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """Return the rows `[B, D]` or `[B, L, D]` of each feature from those of each pack."""
        named = {}
        for name, pack in self.packs.items():
            sizes = [tf.size(inputs[feature.name]) for feature in pack.features]
            parts = tf.split(rows[name], sizes, num=len(sizes))
            for feature, part in zip(pack.features, parts, strict=True):
                dim = rows[name].shape[-1]
                named[feature.name] = tf.reshape(part, [-1, *inputs[feature.name].shape[1:], dim])
        return named

    def _watched(self, batch: Batch, gradients: Gradients) -> dict[str, Tensor]:
        return watched(batch.places, gradients, self.packs, self.model.layers)

    def _signature(self) -> Batch:
        def tensors(dtype: Any, *shape: int | None) -> Any:
            return tf.TensorSpec([None, *shape], dtype)

        places = Places(tensors(tf.int64), tensors(tf.int32), tensors(tf.int32))
        labels = tensors(tf.float32, len(self.model.tasks))
        select = tf.function(self.model.select, [self.model.signature()], autograph=False)
        selected = select.get_concrete_function().structured_outputs
        return Batch(
            {name: tf.TensorSpec.from_tensor(tensor, name) for name, tensor in selected.items()},
            dict.fromkeys(self.packs, places),
            Targets(labels, tensors(tf.float32), tensors(tf.int32)),
        )

    def unpack(self) -> None:
        """Give the model's own tables what training made of them."""
        for pack in self.packs.values():
            pack.empty()

    def state(self) -> dict[str, Array]:
        """Return every value that a resume needs, by name."""
        self.unpack()
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
        for pack in self.packs.values():
            pack.fill()

    def _variables(self) -> dict[str, Variable]:
        learnt = {
            f"objective/{i}": variable.value for i, variable in enumerate(self.objective.variables)
        }
        optimizer = {
            f"dense_optimizer/{i}": variable.value
            for i, variable in enumerate(self._dense.variables)
        }
        model = self.model.weights() | self.model.random_states()
        return model | self._sparse.state() | learnt | optimizer
