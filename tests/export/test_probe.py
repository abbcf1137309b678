"""The probe before training: passes a sound model within seconds, names the culprit of another."""

import time

import pytest

from reclife.errors import ExportError
from reclife.export.probe import check_exportable, random_rows
from toys import deepfm, module, toy_spec


def test_a_sound_model_passes_within_seconds():
    spec = toy_spec()
    started = time.perf_counter()
    check_exportable(deepfm(spec), spec)
    assert time.perf_counter() - started < 20


def test_a_model_that_cannot_be_lowered_is_refused():
    import tensorflow as tf

    spec = toy_spec()
    with pytest.raises(ExportError, match="Erfc"):
        check_exportable(module(spec, lambda x: tf.math.erfc(x["user_mean"]), ("user_mean",)), spec)


def test_a_graph_that_scores_otherwise_is_refused():
    import tensorflow as tf

    spec = toy_spec()
    # TensorFlow's floormod of a negative number is positive, the lowered one truncates
    model = module(
        spec,
        lambda x: tf.cast(tf.math.floormod(x["item"] - 1000, 7), tf.float32),
        ("item",),
    )
    with pytest.raises(ExportError, match="differs from the model"):
        check_exportable(model, spec)


def test_random_rows_respect_the_specification():
    spec = toy_spec()
    table = random_rows(spec.features, spec, 500, seed=3)
    items = table["item"].to_numpy()
    assert items.min() >= 0
    assert items.max() < spec.table("item").size
    assert {len(row) for row in table["类别"].to_pylist()} == {4}
