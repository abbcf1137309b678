"""The number that training minimises: losses of all tasks, weighted."""

from typing import Any, NamedTuple, final

import tensorflow as tf

from reclife.config.objective import ObjectiveConfig
from reclife.contracts import FeatureSpec
from reclife.training import losses, weighting

Tensor = Any
Variable = Any


class Targets(NamedTuple):
    """What a batch is held against.

    `labels` `[B, T]`, NaN where unknown; `weights` `[B]`; `groups` int32 `[B]`, see `Loss`.
    """

    labels: Tensor
    weights: Tensor
    groups: Tensor


@final
class Objective:
    """Weighs the losses of the tasks of `spec`.

    Where down-sampling kept a share w of the negatives, the losses see the logits less log(w), so
    that the logits themselves are those of all rows.
    """

    def __init__(self, config: ObjectiveConfig, spec: FeatureSpec) -> None:
        names = [task.name for task in spec.tasks]
        self._losses = [losses.build(config.loss_of(name)) for name in names]
        self._weighting = weighting.build(config.weighting, names)
        self._kept = spec.negative_rate

    @property
    def grouped(self) -> bool:
        """Whether batches keep groups together."""
        return any(loss.grouped for loss in self._losses)

    @property
    def variables(self) -> list[Variable]:
        """What is learnt besides the model."""
        return self._weighting.variables

    def __call__(self, logits: Tensor, targets: Targets) -> tuple[Tensor, Tensor]:
        """Return the number to minimise, a scalar, and the loss of each task, `[T]`.

        Args:
            logits: `[B, T]`.
            targets: What they are held against.
        """
        seen = tf.cast(logits, tf.float32) - tf.math.log(self._kept)
        known = tf.math.is_finite(targets.labels)
        labels = tf.where(known, targets.labels, 0.0)
        weights = tf.where(known, targets.weights[:, tf.newaxis], 0.0)
        values = tf.stack(
            [
                loss(seen[:, t], labels[:, t], weights[:, t], targets.groups)
                for t, loss in enumerate(self._losses)
            ]
        )
        return self._weighting(values), values
