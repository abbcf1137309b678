"""How well a model does on the validation examples, task by task."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reclife.contracts import Task
from reclife.metrics.classification import auc, gauc, logloss
from reclife.training.examples import Examples

Array = NDArray[Any]


def validate(
    scores: Array, examples: Examples, tasks: Sequence[Task]
) -> dict[str, dict[str, float]]:
    """Return `auc`, `gauc` and `logloss` of each task over its known labels.

    A metric that needs both classes is left out where there is one, all are without a known label.

    Args:
        scores: Probabilities `[N, T]`.
        examples: What was scored.
        tasks: The T tasks.
    """
    return {
        task.name: _metrics(examples.labels[:, t], scores[:, t], examples.groups)
        for t, task in enumerate(tasks)
    }


def _metrics(labels: Array, scores: Array, groups: Array) -> dict[str, float]:
    known = np.isfinite(labels)
    labels, scores, groups = labels[known], scores[known], groups[known]
    if not len(labels):
        return {}
    values = {"logloss": float(logloss(labels, scores))}
    if len(np.unique(labels)) > 1:
        values["auc"] = float(auc(labels, scores))
        _, users = np.unique(groups, return_inverse=True)
        within = gauc(labels, scores, users, int(users.max()) + 1).sums
        if within.users:
            values["gauc"] = within.value
    return values
