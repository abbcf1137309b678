"""What is declared of hidden layers: activation, normalisation, dropout, start, penalty."""

import numpy as np
import pytest
import tensorflow as tf
from scipy.special import expit
from tests.models import zoo

from reclife.config.towers import Tower
from reclife.models import build
from reclife.models.layers.activation import activation
from reclife.models.layers.dense import hidden_layers

X = np.random.default_rng(0).normal(size=(50, 3)).astype("float32")
SLOPES = np.array([0.1, 0.3, -0.2], np.float32)


def dice(x: np.ndarray) -> np.ndarray:
    """With the moving statistics at their start, mean 0 and variance 1."""
    p = expit(x / np.sqrt(1 + 1e-3))
    return p * x + (1 - p) * SLOPES * x


FORMULAS = {
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.2 * x),
    "prelu": lambda x: np.where(x > 0, x, SLOPES * x),
    "dice": dice,
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x * expit(x),
    "tanh": np.tanh,
}


@pytest.mark.parametrize("kind", FORMULAS)
def test_activations_follow_their_formulas(kind):
    layer = activation(kind, "activation")
    layer.build((None, 3))
    for weight in layer.trainable_weights:
        weight.assign(SLOPES)
    np.testing.assert_allclose(layer(X), FORMULAS[kind](X), rtol=1e-5, atol=1e-6)


def test_dice_bends_in_training_where_the_batch_has_its_mean():
    layer = activation("dice", "activation")
    layer.build((None, 3))
    p = expit((X - X.mean(axis=0)) / np.sqrt(X.var(axis=0) + 1e-3))
    np.testing.assert_allclose(layer(X, training=True), p * X, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("by", "axis"), [("batch", 0), ("layer", 1)])
def test_normalisation_stands_between_matrix_and_activation(by, axis):
    tower = Tower(hidden_units=(4,), dropout=0.0, activation="tanh", normalization=by)
    layer = hidden_layers(3, tower, 1, "tower")
    before = X.astype("float64") @ layer.weights[0].numpy()
    centred = before - before.mean(axis=axis, keepdims=True)
    expected = centred / np.sqrt(before.var(axis=axis, keepdims=True) + 1e-3)
    np.testing.assert_allclose(layer(X, training=True), np.tanh(expected), rtol=0, atol=1e-5)


def test_dropout_drops_its_share_in_training_and_keeps_the_mean():
    layer = hidden_layers(3, Tower(hidden_units=(400,), dropout=0.25), 1, "tower")
    scored, trained = layer(X).numpy(), layer(X, training=True).numpy()
    kept = scored > 0
    # 20,000 units: four standard deviations
    assert (trained[kept] == 0).mean() == pytest.approx(0.25, abs=0.02)
    alive = kept & (trained > 0)
    np.testing.assert_allclose(trained[alive], scored[alive] / 0.75, rtol=1e-5)


@pytest.mark.parametrize(
    ("start", "bound"), [("glorot", np.sqrt(6 / (200 + 300))), ("he", np.sqrt(6 / 200))]
)
def test_hidden_matrices_start_evenly_within_the_bound_of_their_rule(start, bound):
    tower = Tower(hidden_units=(300,), dense_initializer=start)
    matrix = hidden_layers(200, tower, 1, "tower").weights[0].numpy()
    assert np.abs(matrix).max() == pytest.approx(bound, rel=1e-3)
    assert matrix.std() == pytest.approx(bound / np.sqrt(3), rel=0.02)


@pytest.mark.parametrize(
    ("declared", "spread"),
    [
        ({"kind": "normal", "deviation": 0.3}, 0.3),
        ({"kind": "uniform", "bound": 0.3}, 0.3 / np.sqrt(3)),
    ],
)
def test_rows_start_as_declared_and_those_of_reserved_ids_at_zero(declared, spread):
    config = zoo.declared("fm", embedding_initializer=declared, embedding_dim=200)
    rows = build(config, zoo.SPEC, seed=1).tables["items"].numpy()
    assert not rows[:2].any()
    vectors = rows[2:, 1:]
    assert vectors.std() == pytest.approx(spread, rel=0.05)
    if declared["kind"] == "uniform":
        assert np.abs(vectors).max() <= 0.3


def test_the_penalty_on_the_dense_part_is_on_matrices_and_on_no_bias():
    model = zoo.scrambled(build(zoo.declared("dcn_v2", dense_l2=0.5), zoo.SPEC, seed=1))
    matrices = [v.numpy() for layer in model.layers.values() for v in layer.trainable_variables]
    expected = sum(np.square(m).sum() for m in matrices if m.ndim > 1)
    assert any(m.ndim == 1 for m in matrices)
    inputs = zoo.inputs_of(model, 4)
    found = model.penalty(model.look_up(inputs), inputs, tf.constant(4.0))
    assert float(found) == pytest.approx(0.5 * expected, rel=1e-5)
