"""Tables and dense weights cut over servers against whole ones; here all devices are this one."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from pydantic import TypeAdapter

from reclife.config.optimizers import DenseOptimizerConfig, SparseOptimizerConfig
from reclife.config.topology import WireConfig
from reclife.training import dense, sparse
from reclife.training.parameter_server.residual import Residual
from reclife.training.parameter_server.shards import Shards
from reclife.training.parameter_server.statistics import Statistics
from reclife.training.parameter_server.vector import Vector
from reclife.training.parameter_server.wire import Wires
from reclife.training.sparse.optimizer import Pace

HERE = "/device:CPU:0"
PLAIN = Wires(WireConfig())
RNG = np.random.default_rng(0)
START = {"a": RNG.normal(size=(11, 3)).astype("float32"), "b": np.ones((7, 16), "float32")}
STEPS = [([2, 10, 3], 1.0), ([3], -2.0), ([0, 2, 9, 5], 0.5)]


def declared(kind: str) -> SparseOptimizerConfig:
    return TypeAdapter(SparseOptimizerConfig).validate_python({"kind": kind})


def shards(count: int, kind: str = "adagrad") -> Shards:
    return Shards(START, [HERE] * count, declared(kind), PLAIN, "test")


def gradient(ids: list[int], size: float) -> tf.Tensor:
    return tf.constant(size * np.arange(1.0, 1 + 3 * len(ids)).reshape(-1, 3), tf.float32)


def train(found: Shards) -> None:
    for t, (ids, size) in enumerate(STEPS, start=1):
        pulled = found.pull("a", tf.constant(ids))
        found.push("a", pulled, gradient(ids, size), tf.constant([0.1, t]))


@pytest.mark.parametrize("servers", [1, 2, 3, 20])
def test_a_pull_gives_the_rows_in_the_order_of_their_ids(servers):
    ids = [10, 0, 7, 3]
    found = shards(servers).pull("a", tf.constant(ids)).rows
    np.testing.assert_array_equal(found, START["a"][ids])


@pytest.mark.parametrize("kind", sorted(sparse.OPTIMIZERS))
@pytest.mark.parametrize("servers", [1, 3])
def test_servers_move_rows_as_one_optimiser_does(kind, servers):
    whole = {name: tf.Variable(array) for name, array in START.items()}
    optimizer = sparse.build(declared(kind), whole)
    for t, (ids, size) in enumerate(STEPS, start=1):
        pace = Pace(tf.constant(0.1), tf.constant(float(t)))
        optimizer.apply("a", tf.constant(ids), gradient(ids, size), pace)
    cut = shards(servers, kind)
    train(cut)
    for name, table in cut.tables().items():
        np.testing.assert_allclose(table, whole[name].numpy(), rtol=1e-6, err_msg=name)
    expected = optimizer.state()
    state = cut.state()
    assert state.keys() == expected.keys() == set(cut.names())
    for name, value in state.items():
        np.testing.assert_allclose(value, expected[name].numpy(), rtol=1e-6, err_msg=name)


def test_what_was_saved_goes_onto_another_number_of_servers():
    trained, other = shards(3, "lazy_adam"), shards(2, "lazy_adam")
    train(trained)
    other.assign(trained.tables())
    other.restore(trained.state())
    for one, two in ((trained.tables(), other.tables()), (trained.state(), other.state())):
        for name, value in one.items():
            np.testing.assert_array_equal(two[name], value, err_msg=name)


def test_what_is_not_wanted_moves_nothing():
    found = shards(2)
    pulled = found.pull("a", tf.constant([1, 2])).only(tf.constant(False))
    found.push("a", pulled, tf.fill([2, 3], np.nan), tf.constant([0.1, 1.0]))
    np.testing.assert_array_equal(found.tables()["a"], START["a"])
    np.testing.assert_array_equal(found.state()["sparse/a/accumulator"], np.float32(0.1))


@pytest.mark.parametrize("kind", ["adam", "adamw", "adagrad", "sgd"])
def test_a_cut_vector_moves_as_the_variables_do(kind):
    config = TypeAdapter(DenseOptimizerConfig).validate_python({"kind": kind})
    values = [RNG.normal(size=shape).astype("float32") for shape in ((5, 30), (7,), ())]
    like, whole = ([keras.Variable(v) for v in values] for _ in range(2))
    vector = Vector(like, [HERE] * 2, lambda: dense.build(config), PLAIN, "test")
    optimizer = dense.build(config)
    optimizer.build(whole)
    for t in range(1, 4):
        gradients = [tf.constant(t * v) for v in values]
        vector.push(gradients, tf.constant(0.05))
        optimizer.learning_rate.assign(0.05)
        optimizer.apply(gradients, whole)
    for found, pulled, expected in zip(vector.values(), vector.pull(), whole, strict=True):
        np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5)
        np.testing.assert_array_equal(found, pulled)
    state = vector.state()
    assert len(state) == vector.count() == len(optimizer.variables)
    for found, variable in zip(state, optimizer.variables, strict=True):
        np.testing.assert_allclose(found, variable.numpy(), rtol=1e-5, err_msg=variable.path)
    other = Vector(like, [HERE] * 3, lambda: dense.build(config), PLAIN, "other")
    other.restore(state)
    for found, expected in zip(other.state(), state, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["bf16", "int8", "int4", "top_k"])
def test_what_compression_loses_arrives_later(kind):
    """After n equal gradients g the table has moved by n g, less what one message can lose."""
    wires = Wires(WireConfig(push=kind, top_k=0.25))
    config = TypeAdapter(SparseOptimizerConfig).validate_python({"kind": "sgd"})
    found = Shards({"b": START["b"]}, [HERE] * 2, config, wires, f"feedback-{kind}")
    g = RNG.normal(size=(4, 16)).astype("float32")
    n, ids = 40, tf.constant([6, 1, 2, 5])
    for _ in range(n):
        found.push("b", found.pull("b", ids), tf.constant(g), tf.constant([1.0, 1.0]))
    lost = START["b"][ids] - n * g - found.tables()["b"][ids]
    # A number waits at most until it is the largest: some 16 / 4 turns of the largest gradient.
    assert np.abs(lost).max() < (8 if kind == "top_k" else 0.2) * np.abs(g).max()


def test_rows_that_share_a_place_do_not_take_the_residual_of_another():
    residual = Residual("shared", 10, 2, most=4)
    ids = tf.constant([1, 5, 2])  # 1 and 5 share a place
    residual.keep(ids, tf.constant([[1.0, 1.0], [5.0, 5.0], [2.0, 2.0]]))
    found = residual.corrected(tf.constant([9, 1, 5, 2]), tf.zeros((4, 2))).numpy()[:, 0]
    assert found[0] == 0
    assert found[1:3].tolist() in ([1, 0], [0, 5])
    assert found[3] == 2


def test_statistics_move_by_differences_unless_unwanted():
    like = [keras.Variable(np.ones(3, "float32"))]
    statistics = Statistics(like, HERE)
    before = statistics.pull()
    statistics.push(before, [before[0] + 2.0], tf.constant(True))
    statistics.push(before, [before[0] + 3.0], tf.constant(True))
    statistics.push(before, [before[0] * np.nan], tf.constant(False))
    np.testing.assert_array_equal(statistics.values()[0], [6.0, 6.0, 6.0])


def test_rows_that_were_not_touched_for_long_are_forgotten_with_their_slots():
    found = Shards(START, [HERE] * 3, declared("adagrad"), PLAIN, "test", evict_after=1)
    train(found)  # rows 2 and 10 in step 1, 3 until step 2, and 0, 2, 5, 9 in step 3
    before = found.tables()["a"]
    other = Shards(START, [HERE] * 2, declared("adagrad"), PLAIN, "other", evict_after=1)
    other.assign(found.tables())
    other.restore(found.state())
    for cut in (found, other):
        assert cut.forget(3) == 1
        after, state = cut.tables()["a"], cut.state()
        assert np.flatnonzero((after != before).any(axis=1)).tolist() == [10]
        assert (after[10] == 0).all()
        assert state["sparse/a/accumulator"][10] == pytest.approx(0.1)
        assert state["sparse/a/touched"][[2, 3]].tolist() == [3, 2]
