"""Whether there is anything to learn from the examples."""

import logging
from collections.abc import Iterable, Sequence

import numpy as np

from reclife.contracts import Feature, FeatureSpec, Task
from reclife.errors import TrainingError
from reclife.models.ranking import RankingModel
from reclife.training.examples import Examples

_LOG = logging.getLogger(__name__)


def learnt_by(model: RankingModel, spec: FeatureSpec) -> FeatureSpec:
    """Return `spec` with those of its tasks only that `model` predicts."""
    return spec.model_copy(update={"tasks": model.tasks})


def check_examples(examples: Examples, features: Iterable[Feature], tasks: Sequence[Task]) -> None:
    """Refuse examples that teach nothing; name numbers that never change.

    Raises:
        TrainingError: There are none, or all known labels of a task are the same.
    """
    if len(examples) == 0:
        raise TrainingError("There are no training examples: look at the split of the features.")
    for t, task in enumerate(tasks):
        labels = examples.labels[:, t]
        known = labels[np.isfinite(labels)]
        if not len(known):
            raise TrainingError(
                f"No training example has a known label of the task {task.name!r}: look at its "
                "declaration and at the delay of its label."
            )
        if (known == known[0]).all():
            raise TrainingError(
                f"All {len(known)} training examples have the label {known[0]:g}"
                f"{_of(task, tasks)}: there is nothing to tell apart. Declare which events are "
                "positive."
            )
    for feature in features:
        values = examples.inputs[feature.name]
        if feature.table is None and (values == values[:1]).all():
            _LOG.warning(
                "Feature %r is constant in the training examples: it teaches nothing, and another "
                "value later would be far outside of what the model has seen. Exclude it.",
                feature.name,
            )


def _of(task: Task, tasks: Sequence[Task]) -> str:
    return f" of the task {task.name!r}" if len(tasks) > 1 else ""
