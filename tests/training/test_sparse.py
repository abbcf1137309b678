"""Sparse updates against dense formulas in numpy; untouched rows stay bit for bit."""

import numpy as np
import pytest
import tensorflow as tf

from reclife.config.training import AdagradConfig, LazyAdamConfig
from reclife.contracts import Feature
from reclife.training.sparse import gather, look_ups, row_gradients, sparse_optimizer

FEATURES = (
    Feature(name="a", role="item", kind="category", dtype="int64", table="t"),
    Feature(name="b", role="user", kind="sequence", dtype="int64", shape=(3,), table="t"),
    Feature(name="c", role="item", kind="category", dtype="int64", table="other"),
)
INPUTS = {
    "a": tf.constant([4, 2], tf.int64),
    "b": tf.constant([[0, 4, 4], [2, 5, 0]], tf.int64),
    "c": tf.constant([1, 1], tf.int64),
}


def tables() -> dict[str, tf.Variable]:
    rng = np.random.default_rng(0)
    shape = {"t": (8, 2), "other": (3, 2)}
    return {n: tf.Variable(rng.normal(size=s).astype("float32")) for n, s in shape.items()}


def test_each_distinct_row_of_a_shared_table_is_read_once_and_reaches_its_place():
    made = tables()
    found = look_ups(FEATURES, INPUTS)
    assert sorted(found["t"].ids.numpy()) == [0, 2, 4, 5]
    assert found["other"].ids.numpy().tolist() == [1]
    rows = gather(made, found, FEATURES, INPUTS)
    for feature in FEATURES:
        expected = made[feature.table].numpy()[INPUTS[feature.name].numpy()]
        np.testing.assert_array_equal(rows[feature.name], expected)


def test_gradients_of_a_row_are_summed_over_all_its_places():
    rng = np.random.default_rng(1)
    gradients = {n: rng.normal(size=(*i.shape, 2)).astype("float32") for n, i in INPUTS.items()}
    expected = np.zeros((8, 2))
    for name in ("a", "b"):
        np.add.at(expected, INPUTS[name].numpy(), gradients[name])
    found = look_ups(FEATURES, INPUTS)
    tensors = {name: tf.constant(value) for name, value in gradients.items()}
    summed = row_gradients(tensors, found, FEATURES)
    np.testing.assert_allclose(summed["t"], expected[found["t"].ids.numpy()], rtol=1e-6)
    np.testing.assert_allclose(summed["other"][0], gradients["c"].sum(axis=0), rtol=1e-6)


STEPS = [([2, 5], 1.0), ([5], -2.0), ([2, 7], 0.5)]


def test_lazy_adam_is_adam_on_the_touched_rows_only():
    config = LazyAdamConfig(learning_rate=0.1, beta_1=0.8, beta_2=0.9)
    made = tables()
    optimizer = sparse_optimizer(config, made)
    w = made["t"].numpy().astype(float)
    m, v = np.zeros_like(w), np.zeros_like(w)
    for t, (ids, size) in enumerate(STEPS, start=1):
        g = size * np.arange(1.0, 1 + 2 * len(ids)).reshape(-1, 2)
        m[ids] = 0.8 * m[ids] + 0.2 * g
        v[ids] = 0.9 * v[ids] + 0.1 * g**2
        rate = 0.1 * np.sqrt(1 - 0.9**t) / (1 - 0.8**t)
        w[ids] -= rate * m[ids] / (np.sqrt(v[ids]) + 1e-7)
        optimizer.begin_step()
        optimizer.apply("t", tf.constant(ids, tf.int64), tf.constant(g, tf.float32))
    np.testing.assert_allclose(made["t"], w, rtol=1e-5)


def test_adagrad_follows_its_formula():
    made = tables()
    optimizer = sparse_optimizer(AdagradConfig(learning_rate=0.1, initial_accumulator=0.3), made)
    w = made["t"].numpy().astype(float)
    a = np.full_like(w, 0.3)
    for ids, size in STEPS:
        g = size * np.arange(1.0, 1 + 2 * len(ids)).reshape(-1, 2)
        a[ids] += g**2
        w[ids] -= 0.1 * g / (np.sqrt(a[ids]) + 1e-7)
        optimizer.begin_step()
        optimizer.apply("t", tf.constant(ids, tf.int64), tf.constant(g, tf.float32))
    np.testing.assert_allclose(made["t"], w, rtol=1e-5)


@pytest.mark.parametrize("config", [LazyAdamConfig(), AdagradConfig()], ids=lambda c: c.kind)
def test_only_the_rows_of_the_batch_change_in_table_and_state(config):
    made = tables()
    optimizer = sparse_optimizer(config, made)
    slots = {n: v for n, v in optimizer.state().items() if n.startswith("sparse/t/")}
    before = {name: slot.numpy() for name, slot in slots.items()} | {"w": made["t"].numpy()}
    optimizer.begin_step()
    optimizer.apply("t", tf.constant([3], tf.int64), tf.ones((1, 2)))
    after = {name: slot.numpy() for name, slot in slots.items()} | {"w": made["t"].numpy()}
    for name, value in before.items():
        changed = np.flatnonzero((value != after[name]).any(axis=1))
        assert changed.tolist() == [3], name
