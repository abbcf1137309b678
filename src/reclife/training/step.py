"""One step of training: forward, backward, and both updates."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, final

import tensorflow as tf

from reclife.config.training import TrainingConfig
from reclife.training.backward import Given, Loss, differentiated
from reclife.training.clipping import Gradients, clip
from reclife.training.growth import Touched
from reclife.training.objective import Targets
from reclife.training.precision import LossScaling
from reclife.training.replicas import Replicas
from reclife.training.sparse.optimizer import Pace, SparseOptimizer
from reclife.training.sparse.packs import Places
from reclife.training.trainee import Trainee
from reclife.training.watch import watched

Tensor = Any
Compile = Callable[[Callable[..., Any]], Callable[..., Any]]


class Batch(NamedTuple):
    """A batch as tensors: what is scored, which rows of which pack that takes, and the truth."""

    inputs: dict[str, Tensor]
    places: dict[str, Places]
    targets: Targets


class Found(NamedTuple):
    """What a step found before its update, as tensors; see `StepResult`.

    `ahead` is by how many steps the copies are ahead of this one on average.
    """

    loss: Tensor
    norm: Tensor
    task_losses: Tensor
    ahead: Tensor
    watched: dict[str, Tensor]


class Optimizers(NamedTuple):
    """What moves rows and what moves the rest, how gradients are kept in range, what is noted."""

    sparse: SparseOptimizer
    dense: Any
    scaling: LossScaling
    touched: Touched | None


@final
class Step:
    """Moves the copy of a model that it is traced for, together with all other copies.

    The cost of a step follows from the rows the batch touches, never from the size of a table.
    The dense forward and backward pass is what `compiled` is given. Gradients are clipped
    once they are those of the whole batch.
    """

    def __init__(
        self,
        learner: Trainee,
        config: TrainingConfig,
        replicas: Replicas,
        optimizers: Optimizers,
        compiled: Compile,
    ) -> None:
        self._learner = learner
        self._model = learner.model
        self._clipping = config.clipping
        self._replicas = replicas
        self._optimizers = optimizers
        self._compute = compiled(self._gradients)

    def __call__(self, batch: Batch, pace: Pace, watch: bool) -> Found:
        """Move the model by the gradient on `batch` and those of the other copies."""
        packs = self._learner.packs
        rows = {name: pack.rows(batch.places[name]) for name, pack in packs.items()}
        size = tf.cast(tf.shape(batch.targets.labels)[0], tf.float32)
        counts, size, step = self._replicas.mean(
            [self._learner.objective.counts(batch.targets), size, pace.step]
        )
        computed = self._compute(Given(rows, batch.inputs, batch.targets, counts, size))
        loss, task_losses = self._replicas.mean([computed.loss, computed.task_losses])
        ids, gradients = self._together(batch, computed)
        norm = gradients.norm()
        moving = self._learner.moving
        parts = watched(ids, gradients, moving, self._model.layers) if watch else {}
        move = partial(self._move, ids, clip(gradients, self._clipping), pace)
        norm = self._optimizers.scaling.apply(norm, move)
        return Found(loss, norm, task_losses, step - pace.step, parts)

    def _move(self, ids: Mapping[str, Tensor], gradients: Gradients, pace: Pace) -> None:
        """Do the update."""
        optimizers = self._optimizers
        for name, gradient in gradients.rows.items():
            optimizers.sparse.apply(name, ids[name], gradient, pace)
            if optimizers.touched is not None:
                optimizers.touched.mark(name, ids[name], pace.step)
        if gradients.dense:
            dense = self._replicas.dense(gradients.dense)
            optimizers.dense.apply(dense, self._learner.variables)

    def _together(self, batch: Batch, computed: Loss) -> tuple[dict[str, Tensor], Gradients]:
        """Return the rows that all copies touch, and the gradient of the whole batch."""
        ids, rows, moving = {}, {}, self._learner.moving
        for name, pack in moving.items():
            summed = pack.summed(computed.rows[name], batch.places[name])
            ids[name], rows[name] = self._replicas.together(
                batch.places[name].ids, summed, int(pack.variable.shape[0])
            )
        return ids, Gradients(
            rows=rows,
            owners={name: pack.table_numbers(ids[name]) for name, pack in moving.items()},
            tables={name: len(pack.tables) for name, pack in moving.items()},
            dense=self._replicas.mean(computed.dense) if computed.dense else [],
        )

    def _gradients(self, given: Given) -> Loss:
        variables = [variable.value for variable in self._learner.variables]
        return differentiated(self._learner, given, variables, self._optimizers.scaling)
