"""Sparse updates against dense formulas in numpy; untouched rows stay bit for bit."""

from collections.abc import Callable

import keras
import numpy as np
import pytest
import tensorflow as tf
from pydantic import TypeAdapter

from reclife.config.optimizers import SparseOptimizerConfig
from reclife.training import sparse
from reclife.training.sparse.optimizer import Pace, SparseOptimizer

Array = np.ndarray
START = np.random.default_rng(0).normal(size=(8, 2))
STEPS = [([2, 5], 1.0), ([5], -2.0), ([2, 7], 0.5)]
RATE = 0.1


def made(table: tf.Variable, kind: str, **options: float) -> SparseOptimizer:
    config = TypeAdapter(SparseOptimizerConfig).validate_python({"kind": kind, **options})
    return sparse.build(config, {"t": table})


def gradient(ids: list[int], size: float) -> Array:
    return size * np.arange(1.0, 1 + 2 * len(ids)).reshape(-1, 2)


def trained(kind: str, **options: float) -> Array:
    table = tf.Variable(START.astype("float32"))
    optimizer = made(table, kind, **options)
    for t, (ids, size) in enumerate(STEPS, start=1):
        pace = Pace(tf.constant(RATE), tf.constant(float(t)))
        g = tf.constant(gradient(ids, size), tf.float32)
        optimizer.apply("t", tf.constant(ids, tf.int64), g, pace)
    return table.numpy()


def expected(rule: Callable[[Array, list[int], Array, int], None]) -> Array:
    """Return the table after `rule(table, ids, gradient, step)` for each step."""
    w = START.copy()
    for t, (ids, size) in enumerate(STEPS, start=1):
        rule(w, ids, gradient(ids, size), t)
    return w


def test_lazy_adam_is_adam_on_the_touched_rows_only():
    m, v = np.zeros_like(START), np.zeros_like(START)

    def rule(w: Array, ids: list[int], g: Array, t: int) -> None:
        m[ids] = 0.8 * m[ids] + 0.2 * g
        v[ids] = 0.9 * v[ids] + 0.1 * g**2
        rate = RATE * np.sqrt(1 - 0.9**t) / (1 - 0.8**t)
        w[ids] -= rate * m[ids] / (np.sqrt(v[ids]) + 1e-7)

    found = trained("lazy_adam", beta_1=0.8, beta_2=0.9)
    np.testing.assert_allclose(found, expected(rule), rtol=1e-5)


def test_adagrad_follows_its_formula():
    a = np.full_like(START, 0.3)

    def rule(w: Array, ids: list[int], g: Array, t: int) -> None:
        a[ids] += g**2
        w[ids] -= RATE * g / (np.sqrt(a[ids]) + 1e-7)

    found = trained("adagrad", initial_accumulator=0.3)
    np.testing.assert_allclose(found, expected(rule), rtol=1e-5)


def test_row_wise_adagrad_keeps_the_mean_square_of_a_row():
    a = np.full((8, 1), 0.3)

    def rule(w: Array, ids: list[int], g: Array, t: int) -> None:
        a[ids] += (g**2).mean(axis=1, keepdims=True)
        w[ids] -= RATE * g / (np.sqrt(a[ids]) + 1e-7)

    found = trained("row_wise_adagrad", initial_accumulator=0.3)
    np.testing.assert_allclose(found, expected(rule), rtol=1e-5)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_sgd_has_a_velocity_that_rests_with_its_row(momentum):
    v = np.zeros_like(START)

    def rule(w: Array, ids: list[int], g: Array, t: int) -> None:
        v[ids] = momentum * v[ids] + g
        w[ids] -= RATE * v[ids]

    np.testing.assert_allclose(trained("sgd", momentum=momentum), expected(rule), rtol=1e-5)


@pytest.mark.parametrize(("l1", "l2"), [(0.0, 0.0), (1.5, 0.0), (0.5, 2.0)])
def test_ftrl_follows_its_formula(l1, l2):
    n, z = np.full_like(START, 0.1), np.zeros_like(START)

    def rule(w: Array, ids: list[int], g: Array, t: int) -> None:
        root, grown = np.sqrt(n[ids]), np.sqrt(n[ids] + g**2)
        z[ids] += g - (grown - root) / RATE * w[ids]
        n[ids] += g**2
        shrunk = (np.sign(z[ids]) * l1 - z[ids]) / (grown / RATE + 2 * l2)
        w[ids] = np.where(np.abs(z[ids]) <= l1, 0.0, shrunk)

    found = trained("ftrl", l1=l1, l2=l2)
    np.testing.assert_allclose(found, expected(rule), rtol=2e-5, atol=1e-7)


def test_ftrl_on_all_rows_is_that_of_keras():
    table = tf.Variable(START.astype("float32"))
    optimizer = made(table, "ftrl", l1=0.3, l2=0.1)
    other = keras.Variable(START.astype("float32"))
    reference = keras.optimizers.Ftrl(
        RATE, l1_regularization_strength=0.3, l2_regularization_strength=0.1
    )
    for t in range(1, 4):
        g = tf.constant(np.random.default_rng(t).normal(size=(8, 2)), tf.float32)
        pace = Pace(tf.constant(RATE), tf.constant(float(t)))
        optimizer.apply("t", tf.range(8, dtype=tf.int64), g, pace)
        reference.apply([g], [other])
    np.testing.assert_allclose(table, other.numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", sorted(sparse.OPTIMIZERS))
def test_only_the_rows_of_the_batch_change_in_table_and_state(kind):
    options = {"momentum": 0.5} if kind == "sgd" else {}
    table = tf.Variable(START.astype("float32"))
    optimizer = made(table, kind, **options)
    watched = optimizer.state() | {"weight": table}
    assert len(watched) > 1
    before = {name: variable.numpy() for name, variable in watched.items()}
    pace = Pace(tf.constant(RATE), tf.constant(1.0))
    optimizer.apply("t", tf.constant([3], tf.int64), tf.ones((1, 2)), pace)
    for name, value in before.items():
        changed = np.flatnonzero((value != watched[name].numpy()).any(axis=1))
        assert changed.tolist() == [3], name


def test_one_number_a_row_is_a_fraction_of_the_memory():
    table = tf.Variable(tf.zeros((10, 16)))
    (accumulator,) = made(table, "row_wise_adagrad").state().values()
    assert accumulator.shape == (10, 1)
