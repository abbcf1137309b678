"""Training in which every step is that of one whole batch, by one copy of the model or several."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, final

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec
from reclife.errors import ArtifactError, TrainingError
from reclife.models.saved import compiled, predict_arrays
from reclife.training import dense, sparse
from reclife.training.compiling import compiler
from reclife.training.examples import Examples
from reclife.training.growth import Touched
from reclife.training.objective import Targets
from reclife.training.precision import loss_scaling
from reclife.training.replicas import Replicas
from reclife.training.slices import slices
from reclife.training.sparse.optimizer import Pace
from reclife.training.sparse.packs import Places
from reclife.training.step import Batch, Found, Optimizers, Step
from reclife.training.trainee import Trainee, trainee
from reclife.training.trainer import Rates, StepResult, Trainer, Work

Array = NDArray[Any]
Tensor = Any
Variable = Any


@final
class SynchronousTrainer(Trainer):
    """Steps of `model`, whose variables lie where `replicas` put them.

    Every copy takes a slice of the batch, and the sum of their gradients moves all of them. The
    tables are packed: the model's own follow at `unpack`.
    """

    def __init__(self, learner: Trainee, config: TrainingConfig, replicas: Replicas) -> None:
        self.model = learner.model
        self.packs = learner.packs
        self.lead = replicas.lead
        self.grouped = learner.objective.grouped
        self._learner = learner
        self._replicas = replicas
        with replicas.scope():
            self._optimizers = _optimizers(learner, config)
        compiling = compiler(self.model, config, replicas)
        self._step = Step(learner, config, replicas, self._optimizers, compiling)
        batches = (self._signature(),) * len(replicas.local)
        signature = [batches, *[tf.TensorSpec([], tf.float32)] * 3]
        self._steps = {
            watch: tf.function(
                partial(self._update, watch=watch), input_signature=signature, autograph=False
            )
            for watch in (False, True)
        }
        self._forget = tf.function(self._forgotten, autograph=False)
        self._score = compiled(self.model)

    def prepare(self, examples: Examples, rows: Array) -> tuple[Batch, ...]:
        """Return the slices that the copies in this process take of the `rows` of `examples`."""
        groups = examples.groups[rows] if self.grouped else None
        parts = slices(len(rows), self._replicas.count, groups)
        return tuple(self._batch(examples.take(rows[parts[i]])) for i in self._replicas.local)

    def steps(self, work: Iterator[Work]) -> Iterator[tuple[Work, StepResult]]:
        """Do the steps one after the other."""
        for one in work:
            yield one, self.step(one.batch, one.rates, watch=one.watch)

    def step(self, batches: tuple[Batch, ...], rates: Rates, *, watch: bool = False) -> StepResult:
        """Train on what `prepare` made of a batch."""
        found = self._steps[watch](batches, *[tf.constant(rate, tf.float32) for rate in rates])
        if float(found.ahead):
            raise TrainingError(
                f"The tasks of the training are not at the same step ({rates.step} here): they do "
                "not see the same checkpoints. Give them one folder that all of them share."
            )
        values = {name: float(value) for name, value in found.watched.items()}
        return StepResult(float(found.loss), found.task_losses.numpy(), float(found.norm), values)

    def predict(self, examples: Examples) -> Array:
        """Return the probabilities; every process scores a slice."""
        local, count = self._replicas.local, self._replicas.count
        start, end = (i * len(examples) // count for i in (local.start, local.stop))
        mine = examples.take(slice(start, end))
        return self._replicas.gather(predict_arrays(self._score, mine.inputs, len(mine)))

    def unpack(self) -> None:
        """Give the model's own tables what training made of them."""
        for pack in self.packs.values():
            pack.empty()

    def forget(self, step: int) -> int:
        """Forget rows as `eviction` declares."""
        return int(self._forget(tf.constant(step, tf.int64)))

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

    def _batch(self, examples: Examples) -> Batch:
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

    def _update(
        self,
        batches: tuple[Batch, ...],
        sparse_rate: Tensor,
        dense_rate: Tensor,
        step: Tensor,
        watch: bool,
    ) -> Found:
        self._optimizers.dense.learning_rate.assign(dense_rate)
        move = partial(self._step, pace=Pace(sparse_rate, step), watch=watch)
        return self._replicas.run(move, batches)

    def _forgotten(self, step: Tensor) -> Tensor:
        optimizers, copies = self._optimizers, len(self._replicas.local)
        if optimizers.touched is None:
            return tf.zeros((), tf.int64)
        forget = partial(optimizers.touched.forget, optimizer=optimizers.sparse)
        return self._replicas.run(forget, (step,) * copies)

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

    def _variables(self) -> dict[str, Variable]:
        own, (rows, layers, scaling, touched) = self._learner, self._optimizers
        learnt = {
            f"objective/{i}": variable.value for i, variable in enumerate(own.objective.variables)
        }
        optimizer = {
            f"dense_optimizer/{i}": variable.value for i, variable in enumerate(layers.variables)
        }
        model = self.model.weights() | self.model.random_states()
        scale = {f"loss_scaling/{name}": v for name, v in scaling.variables().items()}
        noted = {} if touched is None else touched.state()
        return model | rows.state() | noted | learnt | optimizer | scale


def _optimizers(learner: Trainee, config: TrainingConfig) -> Optimizers:
    variables = {name: pack.variable for name, pack in learner.moving.items()}
    layers = dense.build(config.dense_optimizer)
    layers.build(learner.variables)
    evicting = config.eviction
    return Optimizers(
        sparse=sparse.build(config.sparse_optimizer, variables),
        dense=layers,
        scaling=loss_scaling(config.precision),
        touched=None if evicting is None else Touched(variables, evicting.after_steps),
    )


def synchronous(
    replicas: Replicas,
) -> Callable[[TrainingConfig, FeatureSpec, int], SynchronousTrainer]:
    """Return what makes the trainer of a phase from declaration, schema and seed."""

    def made(config: TrainingConfig, spec: FeatureSpec, seed: int) -> SynchronousTrainer:
        with replicas.scope():
            learner = trainee(config, spec, seed)
        return SynchronousTrainer(learner, config, replicas)

    return made
