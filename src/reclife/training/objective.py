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

    def counts(self, targets: Targets) -> Tensor:
        """Return for each task what its summed loss is divided by, `[T]`."""
        labels, weights = _known(targets)
        return tf.stack(
            [
                loss.count(labels[:, t], weights[:, t], targets.groups)
                for t, loss in enumerate(self._losses)
            ]
        )

    def __call__(
        self, logits: Tensor, targets: Targets, counts: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the number to minimise, a scalar, and the loss of each task, `[T]`.

        Args:
            logits: `[B, T]`.
            targets: What they are held against.
            counts: `[T]`; None: `counts(targets)`. Given a part of a batch and the mean of its
                parts' counts, the mean of the results over the parts is that of the whole batch.
        """
        seen = tf.cast(logits, tf.float32) - tf.math.log(self._kept)
        labels, weights = _known(targets)
        totals = tf.stack(
            [
                loss.total(seen[:, t], labels[:, t], weights[:, t], targets.groups)
                for t, loss in enumerate(self._losses)
            ]
        )
        values = tf.math.divide_no_nan(totals, self.counts(targets) if counts is None else counts)
        return self._weighting(values), values


def _known(targets: Targets) -> tuple[Tensor, Tensor]:
    """Return labels and weights `[B, T]`, both 0 where a label is not known."""
    known = tf.math.is_finite(targets.labels)
    labels = tf.where(known, targets.labels, 0.0)
    return labels, tf.where(known, targets.weights[:, tf.newaxis], 0.0)
