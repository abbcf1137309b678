"""Packs of tables: each distinct row once, gradients summed, the tables' own rows back."""

import numpy as np
import pytest
import tensorflow as tf

from reclife.contracts import Feature
from reclife.training.sparse.packs import Pack, Places, packs

FEATURES = (
    Feature(name="a", role="item", kind="category", dtype="int64", table="t"),
    Feature(name="b", role="user", kind="sequence", dtype="int64", shape=(3,), table="u"),
    Feature(name="c", role="item", kind="category", dtype="int64", table="other"),
    Feature(name="d", role="item", kind="category", dtype="int64", table="t"),
)
INPUTS = {
    "a": np.array([4, 2]),
    "b": np.array([[0, 4, 4], [2, 3, 0]]),
    "c": np.array([1, 1]),
    "d": np.array([2, 7]),
}
SHAPES = {"t": (8, 2), "u": (5, 2), "other": (3, 4)}


def tables() -> dict[str, tf.Variable]:
    rng = np.random.default_rng(0)
    return {n: tf.Variable(rng.normal(size=s).astype("float32")) for n, s in SHAPES.items()}


def tensors(pack: Pack) -> Places:
    return Places(*map(tf.constant, pack.places(INPUTS)))


def test_tables_of_one_dimension_share_a_pack():
    made = packs(tables(), FEATURES)
    assert {name: pack.tables for name, pack in made.items()} == {
        "dim_2": ("t", "u"),
        "dim_4": ("other",),
    }
    assert made["dim_2"].variable.shape == (13, 2)


def test_each_distinct_row_is_read_once_and_reaches_its_places():
    made = tables()
    pack = packs(made, FEATURES)["dim_2"]
    places = tensors(pack)
    assert sorted(places.ids.numpy()) == [2, 4, 7, 8, 10, 11, 12]
    expected = [made[f.table].numpy()[INPUTS[f.name]].reshape(-1, 2) for f in pack.features]
    np.testing.assert_array_equal(pack.rows(places), np.concatenate(expected))


def test_gradients_of_a_row_are_summed_over_all_its_places():
    rng = np.random.default_rng(1)
    pack = packs(tables(), FEATURES)["dim_2"]
    gradients = {f.name: rng.normal(size=(*INPUTS[f.name].shape, 2)) for f in pack.features}
    expected = np.zeros((13, 2))
    for feature in pack.features:
        offset = {"t": 0, "u": 8}[feature.table]
        np.add.at(expected, INPUTS[feature.name] + offset, gradients[feature.name])
    flat = np.concatenate([gradients[f.name].reshape(-1, 2) for f in pack.features])
    places = tensors(pack)
    summed = pack.summed(tf.constant(flat), places)
    np.testing.assert_allclose(summed, expected[places.ids.numpy()])


def test_what_training_changes_reaches_the_tables_and_back():
    made = tables()
    pack = packs(made, FEATURES)["dim_2"]
    pack.variable.assign_add(tf.ones_like(pack.variable))
    before = made["u"].numpy()
    pack.empty()
    np.testing.assert_array_equal(made["u"], before + 1)
    made["t"].assign(tf.zeros((8, 2)))
    pack.fill()
    np.testing.assert_array_equal(pack.variable[:8], np.zeros((8, 2)))
    np.testing.assert_array_equal(pack.variable[8:], before + 1)


def test_a_table_alone_is_not_copied():
    made = tables()
    assert packs(made, FEATURES)["dim_4"].variable is made["other"]


def test_rows_know_their_table_and_padding():
    pack = packs(tables(), FEATURES)["dim_2"]
    ids = tf.constant([0, 7, 8, 12], tf.int64)
    assert pack.table_numbers(ids).numpy().tolist() == [0, 0, 1, 1]
    assert pack.padding(ids).numpy().tolist() == [True, False, True, False]


@pytest.mark.parametrize("rows", [0, 1])
def test_small_batches(rows):
    pack = packs(tables(), FEATURES)["dim_2"]
    places = pack.places({name: ids[:rows] for name, ids in INPUTS.items()})
    assert len(places.positions) == 5 * rows
