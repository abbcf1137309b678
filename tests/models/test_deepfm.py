"""DeepFM against its equation, written out in numpy."""

import numpy as np
import pytest
import tensorflow as tf
from tests.models.zoo import inputs_of, scrambled
from tests.training import toy

from reclife.config.model import DeepFMConfig
from reclife.models.deepfm import build
from reclife.models.layers.factorization import pairwise
from reclife.models.layers.pooling import mean_pool


def test_pairwise_is_the_sum_over_all_pairs():
    vectors = np.random.default_rng(0).normal(size=(3, 5, 4)).astype("float32")
    expected = [
        sum(float(row[i] @ row[j]) for i in range(5) for j in range(i + 1, 5)) for row in vectors
    ]
    np.testing.assert_allclose(pairwise(tf.constant(vectors))[:, 0], expected, rtol=1e-4)


def test_mean_pool_leaves_padding_out():
    rows = tf.constant([[[9.0], [1.0], [3.0]], [[9.0], [9.0], [9.0]]])
    ids = tf.constant([[0, 5, 6], [0, 0, 0]])
    np.testing.assert_allclose(mean_pool(rows, ids), [[2.0], [0.0]])
    np.testing.assert_allclose(mean_pool(rows[:, 1], ids[:, 1]), [[1.0], [0.0]])


@pytest.mark.parametrize("dims", [{}, {"genres": 3}], ids=["one length", "projected"])
def test_logits_follow_the_equation(dims):
    config = DeepFMConfig(embedding_dim=4, embedding_dims=dims, hidden_units=(6, 5))
    model = scrambled(build(config, toy.SPEC, seed=2))
    inputs = {name: tensor.numpy() for name, tensor in inputs_of(model, 30).items()}
    weights = {name: variable.numpy() for name, variable in model.weights().items()}
    expected = [_logit(weights, {k: v[row] for k, v in inputs.items()}) for row in range(30)]
    actual = model({k: tf.constant(v) for k, v in inputs.items()}).numpy()[:, 0]
    np.testing.assert_allclose(actual, expected, rtol=2e-4, atol=2e-4)


def _logit(weights: dict[str, np.ndarray], row: dict[str, np.ndarray]) -> float:
    first, vectors = float(weights["dense/bias/0"]), []
    for feature in ("item", "genres", "history"):
        table = "genres" if feature == "genres" else "items"
        ids = [i for i in np.atleast_1d(row[feature]) if i != 0]
        rows = weights[f"table/{table}"]
        pooled = np.mean(rows[ids], axis=0) if ids else np.zeros(rows.shape[1])
        first += pooled[0]
        projection = weights.get(f"dense/projection_{table}/0")
        vectors.append(pooled[1:] if projection is None else pooled[1:] @ projection)
    x = np.concatenate([[row["mean"]], row["mood"]])
    gamma, beta, mean, variance = (weights[f"dense/normalization/{i}"] for i in range(4))
    x = (x - mean) / np.sqrt(variance + 1e-3) * gamma + beta
    first += float((x @ weights["dense/numeric_weights/0"])[0])
    second = sum(a @ b for i, a in enumerate(vectors) for b in vectors[i + 1 :])
    hidden = np.concatenate([*vectors, x])
    for layer in range(3):
        hidden = hidden @ weights[f"dense/perceptron/{2 * layer}"]
        hidden = hidden + weights[f"dense/perceptron/{2 * layer + 1}"]
        hidden = np.maximum(hidden, 0) if layer < 2 else hidden
    return first + second + float(hidden[0])
