"""Whether there is anything to learn from the examples."""

import logging
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reclife.config.objective import ObjectiveConfig
from reclife.contracts import Feature, FeatureSpec, Task
from reclife.errors import ConfigError, TrainingError
from reclife.models.ranking import RankingModel
from reclife.training.examples import Examples
from reclife.training.losses import LOSSES

Array = NDArray[Any]

_LOG = logging.getLogger(__name__)


def learnt_by(model: RankingModel, spec: FeatureSpec) -> FeatureSpec:
    """Return `spec` with those of its tasks only that `model` predicts."""
    return spec.model_copy(update={"tasks": model.tasks})


def check_examples(
    examples: Examples,
    features: Iterable[Feature],
    tasks: Sequence[Task],
    objective: ObjectiveConfig,
) -> None:
    """Refuse examples that teach nothing; name numbers that never change.

    Raises:
        ConfigError: No task has a weight.
        TrainingError: There are none, all known labels of a task are the same, none of them counts,
            or its loss has nothing to compare.
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
    _check_weights(examples, tasks, objective)
    for feature in features:
        values = examples.inputs[feature.name]
        if feature.table is None and (values == values[:1]).all():
            _LOG.warning(
                "Feature %r is constant in the training examples: it teaches nothing, and another "
                "value later would be far outside of what the model has seen. Exclude it.",
                feature.name,
            )


def _check_weights(examples: Examples, tasks: Sequence[Task], objective: ObjectiveConfig) -> None:
    """Refuse an objective that is 0 whatever the model says."""
    counted = [t for t, task in enumerate(tasks) if objective.weight_of(task.name) > 0]
    if not counted:
        raise ConfigError(
            f"training.objective.weighting: the weight of {', '.join(t.name for t in tasks)} is 0, "
            "so that nothing is minimised: give a task a weight."
        )
    for t in counted:
        labels, kind = examples.labels[:, t], objective.loss_of(tasks[t].name).kind
        there = np.isfinite(labels) & (examples.weights > 0)
        if not there.any():
            raise TrainingError(
                f"Every training example with a known label{_of(tasks[t], tasks)} has the weight "
                "0: look at interactions.weight of ingest."
            )
        if LOSSES[kind].grouped and not _differ(labels[there], examples.groups[there]):
            raise TrainingError(
                f"training.objective: {kind} compares the examples of one {objective.group}, and "
                f"no two of them have different labels{_of(tasks[t], tasks)}: declare another "
                "`group`, or a loss of single examples."
            )


def _differ(labels: Array, groups: Array) -> bool:
    """Return whether some group has two labels."""
    _, place = np.unique(groups, return_inverse=True)
    lowest, highest = np.full(len(labels), np.inf), np.full(len(labels), -np.inf)
    np.minimum.at(lowest, place, labels)
    np.maximum.at(highest, place, labels)
    return bool((highest > lowest).any())


def _of(task: Task, tasks: Sequence[Task]) -> str:
    return f" of the task {task.name!r}" if len(tasks) > 1 else ""
