"""Pieces of the models' equations, row by row in float64 numpy, written from the papers."""

from collections.abc import Callable

import numpy as np
import tensorflow as tf
from tests.models.zoo import inputs_of, scrambled

from reclife.models.ranking import RankingModel

Array = np.ndarray
Weights = dict[str, Array]
Row = dict[str, Array]

TABLES = {"item": "items", "genres": "genres", "history": "items"}
"""Of the toy: categorical features in their order, with the tables they are looked up in."""


def check(model: RankingModel, logit: Callable[[Weights, Row], float], rows: int = 30) -> None:
    """Hold the logits of `model`, with random weights, against `logit` of every row.

    The tolerance is that of float32 sums of some hundred products of either sign.
    """
    scrambled(model, seed=1)
    inputs = {name: tensor.numpy() for name, tensor in inputs_of(model, rows).items()}
    weights = {name: v.numpy().astype("float64") for name, v in model.weights().items()}
    expected = [logit(weights, {k: v[row] for k, v in inputs.items()}) for row in range(rows)]
    actual = model({name: tf.constant(array) for name, array in inputs.items()}).numpy()[:, 0]
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(actual, expected, rtol=2e-4, atol=2e-4)


def pooled(weights: Weights, row: Row, feature: str) -> Array:
    """Return the mean of the rows of what `feature` holds, zeros when it holds nothing."""
    table = weights[f"table/{TABLES[feature]}"]
    ids = [i for i in np.atleast_1d(row[feature]) if i != 0]
    return np.mean(table[ids], axis=0) if ids else np.zeros(table.shape[1])


def numbers(weights: Weights, row: Row) -> Array:
    """Return the toy's three numbers after batch normalisation by the moving statistics."""
    x = np.concatenate([[row["mean"]], row["mood"]])
    gamma, beta, mean, variance = (weights[f"dense/normalization/{i}"] for i in range(4))
    return (x - mean) / np.sqrt(variance + 1e-3) * gamma + beta


def field_vectors(weights: Weights, row: Row) -> list[Array]:
    """Return the vector of every field: categorical features, then the numbers."""
    x = numbers(weights, row)
    scaled = [x[j] * weights["dense/numeric_rows/0"][j] for j in range(3)]
    return [*(pooled(weights, row, feature) for feature in TABLES), *scaled]


def perceptron(parameters: list[Array], x: Array) -> float:
    """Return the only output of the perceptron with these kernels and biases in turn."""
    layers = list(zip(parameters[::2], parameters[1::2], strict=True))
    for depth, (kernel, bias) in enumerate(layers):
        x = x @ kernel + bias
        x = np.maximum(x, 0) if depth < len(layers) - 1 else x
    return float(x[0])


def parameters_of(weights: Weights, layer: str) -> list[Array]:
    """Return the weights of `layer` in their order."""
    count = sum(name.startswith(f"dense/{layer}/") for name in weights)
    return [weights[f"dense/{layer}/{i}"] for i in range(count)]
