"""One step of training: forward, backward, and both updates."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, final

import tensorflow as tf

from reclife.config.training import TrainingConfig
from reclife.models.ranking import RankingModel
from reclife.training.clipping import Gradients, clip
from reclife.training.objective import Objective, Targets
from reclife.training.replicas import Replicas
from reclife.training.sparse.optimizer import Pace, SparseOptimizer
from reclife.training.sparse.packs import Pack, Places
from reclife.training.watch import watched

Tensor = Any
Optimizer = Any


class Batch(NamedTuple):
    """A batch as tensors: what is scored, which rows of which pack that takes, and the truth."""

    inputs: dict[str, Tensor]
    places: dict[str, Places]
    targets: Targets


class Found(NamedTuple):
    """What a step found before its update, as tensors; see `StepResult`."""

    loss: Tensor
    norm: Tensor
    task_losses: Tensor
    watched: dict[str, Tensor]


class Loss(NamedTuple):
    """Loss, losses of the tasks and gradients of one copy: `rows` `[P, D]` by pack, `dense`."""

    loss: Tensor
    task_losses: Tensor
    rows: dict[str, Tensor]
    dense: list[Tensor]


@final
class Step:
    """Moves the copy of a model that it is traced for, together with all other copies.

    The cost of a step follows from the rows the batch touches, never from the size of a table.
    The dense forward and backward pass has static shapes, so it alone is compiled by XLA when
    that is declared. Gradients are clipped once they are those of the whole batch.
    """

    def __init__(
        self,
        model: RankingModel,
        objective: Objective,
        packs: Mapping[str, Pack],
        config: TrainingConfig,
        replicas: Replicas,
        optimizers: tuple[SparseOptimizer, Optimizer],
    ) -> None:
        self._model = model
        self._objective = objective
        self._packs = packs
        self._clipping = config.clipping
        self._replicas = replicas
        self._sparse, self._dense = optimizers
        self._variables = [*model.dense_variables, *objective.variables]
        self._compute = self._compiled(config)

    def __call__(self, batch: Batch, pace: Pace, watch: bool) -> Found:
        """Move the model by the gradient on `batch` and those of the other copies."""
        rows = {name: pack.rows(batch.places[name]) for name, pack in self._packs.items()}
        size = tf.cast(tf.shape(batch.targets.labels)[0], tf.float32)
        counts, size = self._replicas.mean([self._objective.counts(batch.targets), size])
        computed = self._compute(rows, batch.inputs, batch.targets, counts, size)
        loss, task_losses = self._replicas.mean([computed.loss, computed.task_losses])
        ids, gradients = self._together(batch, computed)
        norm = gradients.norm()
        parts = watched(ids, gradients, self._packs, self._model.layers) if watch else {}
        clipped = clip(gradients, self._clipping)
        for name, gradient in clipped.rows.items():
            self._sparse.apply(name, ids[name], gradient, pace)
        self._dense.apply(self._replicas.dense(clipped.dense), self._variables)
        return Found(loss, norm, task_losses, parts)

    def _together(self, batch: Batch, computed: Loss) -> tuple[dict[str, Tensor], Gradients]:
        """Return the rows that all copies touch, and the gradient of the whole batch."""
        ids, rows = {}, {}
        for name, pack in self._packs.items():
            summed = pack.summed(computed.rows[name], batch.places[name])
            ids[name], rows[name] = self._replicas.together(
                batch.places[name].ids, summed, int(pack.variable.shape[0])
            )
        return ids, Gradients(
            rows=rows,
            owners={name: pack.table_numbers(ids[name]) for name, pack in self._packs.items()},
            tables={name: len(pack.tables) for name, pack in self._packs.items()},
            dense=self._replicas.mean(computed.dense),
        )

    def _compiled(self, config: TrainingConfig) -> Callable[..., Loss]:
        return tf.function(self._gradients, autograph=False, jit_compile=config.xla)

    def _gradients(
        self,
        rows: Mapping[str, Tensor],
        inputs: Mapping[str, Tensor],
        targets: Targets,
        counts: Tensor,
        size: Tensor,
    ) -> Loss:
        variables = [variable.value for variable in self._variables]
        named = self._by_feature(rows, inputs)
        with tf.GradientTape() as tape:
            # The parts are watched, not the packs: the gradient of a slice is as large as its pack.
            tape.watch(named)
            logits = self._model.score(named, inputs, training=True)
            loss, task_losses = self._objective(logits, targets, counts)
            total = loss + self._model.penalty(named, inputs, size)
        named_grads, dense_grads = tape.gradient(
            total, (named, variables), unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        row_grads = {
            name: tf.concat(
                [tf.reshape(named_grads[f.name], [-1, x.shape[-1]]) for f in pack.features], axis=0
            )
            for (name, pack), x in zip(self._packs.items(), rows.values(), strict=True)
        }
        return Loss(loss, task_losses, row_grads, dense_grads)

    def _by_feature(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """Return the rows `[B, D]` or `[B, L, D]` of each feature from those of each pack."""
        named = {}
        for name, pack in self._packs.items():
            sizes = [tf.size(inputs[feature.name]) for feature in pack.features]
            parts = tf.split(rows[name], sizes, num=len(sizes))
            for feature, part in zip(pack.features, parts, strict=True):
                dim = rows[name].shape[-1]
                named[feature.name] = tf.reshape(part, [-1, *inputs[feature.name].shape[1:], dim])
        return named
