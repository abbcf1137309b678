"""Forward and backward pass of one copy of a model over its part of a batch."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from reclife.training.objective import Targets
from reclife.training.precision import LossScaling
from reclife.training.sparse.packs import by_feature, by_place
from reclife.training.trainee import Trainee

Tensor = Any


class Loss(NamedTuple):
    """Loss, losses of the tasks and gradients of one copy: `rows` `[P, D]` by pack, `dense`."""

    loss: Tensor
    task_losses: Tensor
    rows: dict[str, Tensor]
    dense: list[Tensor]


class Given(NamedTuple):
    """What a copy computes from.

    `rows` `[P, D]` by pack, `inputs` by feature, `targets`; `counts` and `size` are those of the
    whole batch: what each task's loss is divided by, `[T]`, and the number of examples.
    """

    rows: Mapping[str, Tensor]
    inputs: Mapping[str, Tensor]
    targets: Targets
    counts: Tensor
    size: Tensor


def differentiated(
    learner: Trainee, given: Given, dense: Sequence[Tensor], scaling: LossScaling
) -> Loss:
    """Return the loss and its gradients by the rows that move and by `dense`.

    Args:
        learner: The model and what is minimised.
        given: The part of the batch.
        dense: The variables of the dense part, or the tensors that stand for them.
        scaling: What keeps the gradients in range.
    """
    named = by_feature(learner.packs, given.rows, given.inputs)
    moving = {
        feature.name: named[feature.name]
        for pack in learner.moving.values()
        for feature in pack.features
    }
    with tf.GradientTape() as tape:
        # The parts are watched, not the packs: the gradient of a slice is as large as its pack.
        tape.watch([moving, [d for d in dense if not isinstance(d, tf.Variable)]])
        logits = learner.model.logits(named, given.inputs, training=True)
        loss, task_losses = learner.objective(logits, given.targets, given.counts)
        total = scaling.scaled(loss + learner.model.penalty(named, given.inputs, given.size))
    named_grads, dense_grads = tape.gradient(
        total, (moving, list(dense)), unconnected_gradients=tf.UnconnectedGradients.ZERO
    )
    places = by_place(learner.moving, named_grads, given.rows)
    return Loss(
        loss,
        task_losses,
        {name: scaling.unscaled(gradient) for name, gradient in places.items()},
        [scaling.unscaled(gradient) for gradient in dense_grads],
    )
