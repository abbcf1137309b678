"""Logistic regression on the model's features, by Newton's method."""

from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reclife.config.evaluation import LogisticBaselineConfig
from reclife.contracts import FIRST_ID, LABEL, OOV_ID, Feature, FeatureSpec
from reclife.datasets.tensors import column_to_array, to_array
from reclife.metrics.classification import logloss

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]

_STEPS, _TOLERANCE = 50, 1e-9


def scores(
    train: pa.Table,
    validation: pa.Table,
    test: pa.Table,
    spec: FeatureSpec,
    config: LogisticBaselineConfig,
    refit: bool,
) -> Vector:
    """Return the chance of a like of each test row `[N]`.

    The penalty is the one with the least logloss on validation; with `refit`, as the model does,
    the weights are then fitted on train and validation together.
    """
    design = Design(spec, config.max_vocabulary, train)
    inputs, labels = design(train), column_to_array(train, LABEL, "float64")
    if validation.num_rows == 0:
        return predict(design(test), fit(inputs, labels, config.l2[0]))
    held, truth = design(validation), column_to_array(validation, LABEL, "float64")
    fitted = {l2: fit(inputs, labels, l2) for l2 in config.l2}
    best = min(config.l2, key=lambda l2: logloss(truth, predict(held, fitted[l2])))
    weights = fitted[best]
    if refit:
        weights = fit(np.vstack([inputs, held]), np.concatenate([labels, truth]), best)
    return predict(design(test), weights)


@final
class Design:
    """Turns examples into a design matrix `[N, D]`, the constant first.

    Numbers are standardised by the training rows; a category with a small vocabulary becomes one
    column per value, a list the share of each value in it; the out-of-vocabulary id is a value.
    """

    def __init__(self, spec: FeatureSpec, max_vocabulary: int, train: pa.Table) -> None:
        sizes = {table.name: table.size for table in spec.tables}
        small = {name for name, size in sizes.items() if size - FIRST_ID <= max_vocabulary}
        self._numeric = [f for f in spec.features if f.kind in ("numeric", "vector")]
        kinds = ("category", "multi_category")
        listed = [f for f in spec.features if f.kind in kinds and f.table in small]
        self._categories = [(f, sizes[str(f.table)]) for f in listed]
        numbers = self._numbers(train)
        self._mean = numbers.mean(axis=0)
        deviation = numbers.std(axis=0)
        self._deviation = np.where(deviation > 0, deviation, 1.0)

    def __call__(self, table: pa.Table) -> Matrix:
        """Return the matrix of the rows of `table`."""
        numbers = (self._numbers(table) - self._mean) / self._deviation
        parts: Sequence[Matrix] = [_shares(table, f, size) for f, size in self._categories]
        return np.hstack([np.ones((table.num_rows, 1)), numbers, *parts])

    def _numbers(self, table: pa.Table) -> Matrix:
        parts = [to_array(table, f).reshape(table.num_rows, -1) for f in self._numeric]
        return np.hstack([np.empty((table.num_rows, 0)), *parts]).astype(np.float64)


def _shares(table: pa.Table, feature: Feature, size: int) -> Matrix:
    """Return `[N, size - 1]`: each value's share of the row's values; padding is no value."""
    ids = to_array(table, feature).reshape(table.num_rows, -1)
    present = ids >= OOV_ID
    rows = np.repeat(np.arange(len(ids)), present.sum(axis=1))
    cells = rows * (size - 1) + (ids[present] - OOV_ID)
    counts = np.bincount(cells, minlength=len(ids) * (size - 1)).reshape(len(ids), size - 1)
    shares: Matrix = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares


def fit(inputs: Matrix, labels: Vector, l2: float) -> Vector:
    """Return the weights `[D]` with the least `sum of losses + l2 / 2 |w|^2`, the constant free.

    Newton's method; the objective is strictly convex in all but the constant, and the step is
    halved until it does not increase.
    """
    penalty = np.full(inputs.shape[1], l2)
    penalty[0] = 1e-9 * l2  # free, but bounded when there is one class only
    weights = np.zeros(inputs.shape[1])
    value = _objective(inputs, labels, penalty, weights)
    for _ in range(_STEPS):
        chances = predict(inputs, weights)
        gradient = inputs.T @ (chances - labels) + penalty * weights
        curvature = (inputs * (chances * (1 - chances))[:, None]).T @ inputs + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        while (after := _objective(inputs, labels, penalty, weights - step)) > value:
            step /= 2
            if np.abs(step).max() < _TOLERANCE:
                return weights
        weights, value = weights - step, after
        if np.abs(step).max() < _TOLERANCE:
            break
    return weights


def predict(inputs: Matrix, weights: Vector) -> Vector:
    """Return `1 / (1 + exp(-inputs w))` `[N]`."""
    chances: Vector = 0.5 * (1.0 + np.tanh(0.5 * (inputs @ weights)))
    return chances


def _objective(inputs: Matrix, labels: Vector, penalty: Vector, weights: Vector) -> float:
    logits = inputs @ weights
    losses = np.logaddexp(0.0, logits) - labels * logits
    return float(losses.sum() + 0.5 * (penalty * weights * weights).sum())
