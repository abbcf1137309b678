"""Lowering: the graph computes the formula of exactly the used features, or says what fails."""

import numpy as np
import onnx
import pytest

from reclife.errors import ExportError
from reclife.export.graph import open_graph, run_graph
from reclife.export.lower import OPSET, to_onnx
from reclife.models.saved import predict
from toys import GENRES, ITEMS, deepfm, module, toy_examples, toy_spec


def test_graph_computes_the_formula(tmp_path):
    import tensorflow as tf

    spec, table = toy_spec(), toy_examples(101)
    rng = np.random.default_rng(1)
    bias = rng.standard_normal(ITEMS).astype(np.float32)
    genre = rng.standard_normal(GENRES).astype(np.float32)
    weights = tf.Variable(bias), tf.Variable(genre)
    model = module(
        spec,
        lambda x: (
            tf.gather(weights[0], x["item"])
            + tf.reduce_sum(tf.gather(weights[1], x["类别"]), axis=1)
            + x["user_mean"]
            - 2 * x["item_count"]
        ),
    )
    path = tmp_path / "toy.onnx"
    to_onnx(model, spec, path)
    genres = np.array(table["类别"].to_pylist())
    logits = (
        bias[table["item"].to_numpy()]
        + genre[genres].sum(1)
        + table["user_mean"].to_numpy()
        - 2 * table["item_count"].to_numpy()
    )
    for batch in (1, 7, 101):
        scores = run_graph(open_graph(path), table, spec, batch)
        np.testing.assert_allclose(scores, 1 / (1 + np.exp(-logits)), atol=1e-6)


def test_inputs_are_the_used_features_with_a_dynamic_batch(tmp_path):
    spec = toy_spec()
    path = tmp_path / "some.onnx"
    model = module(spec, lambda x: x["user_mean"] + x["item_count"], ("user_mean", "item_count"))
    to_onnx(model, spec, path)
    graph = onnx.load(path)
    assert [value.name for value in graph.graph.input] == ["user_mean", "item_count"]
    assert [value.name for value in graph.graph.output] == ["score"]
    assert all(value.type.tensor_type.shape.dim[0].dim_param for value in graph.graph.input)
    assert max(o.version for o in graph.opset_import if o.domain in ("", "ai.onnx")) == OPSET


def test_deepfm_agrees_with_its_graph(tmp_path):
    spec, table = toy_spec(), toy_examples(200)
    model = deepfm(spec)
    path = tmp_path / "deepfm.onnx"
    to_onnx(model, spec, path)
    expected = predict(model, table)
    assert expected.std() > 0.05
    np.testing.assert_allclose(run_graph(open_graph(path), table, spec), expected, atol=1e-6)


def test_an_operation_that_does_not_convert_is_named(tmp_path):
    import tensorflow as tf

    spec = toy_spec()
    model = module(spec, lambda x: tf.math.erfc(x["user_mean"]), ("user_mean",))
    with pytest.raises(ExportError, match=r"cannot be lowered.*Erfc"):
        to_onnx(model, spec, tmp_path / "x.onnx")
    assert not (tmp_path / "x.onnx").exists()


def test_a_feature_that_is_listed_but_not_read_is_named(tmp_path):
    spec = toy_spec()
    model = module(spec, lambda x: x["user_mean"] * 2.0, ("user_mean", "item"))
    with pytest.raises(ExportError, match="item"):
        to_onnx(model, spec, tmp_path / "x.onnx")


def test_a_feature_outside_the_specification_is_named(tmp_path):
    spec = toy_spec()
    model = module(spec, lambda x: x["user_mean"])
    smaller = spec.model_copy(update={"features": spec.features[:3]})
    with pytest.raises(ExportError, match="item_count"):
        to_onnx(model, smaller, tmp_path / "x.onnx")


def test_a_captured_constant_becomes_no_input(tmp_path):
    import tensorflow as tf

    spec, table = toy_spec(), toy_examples(9)
    constant = tf.constant(np.arange(ITEMS, dtype=np.float32) / ITEMS)
    model = module(spec, lambda x: tf.gather(constant, x["item"]), ("item",))
    path = tmp_path / "constant.onnx"
    try:
        to_onnx(model, spec, path)
    except ExportError as error:
        assert "captured" in str(error)  # noqa: PT017  refusing is as right as folding it in
    else:
        expected = 1 / (1 + np.exp(-table["item"].to_numpy() / ITEMS))
        np.testing.assert_allclose(run_graph(open_graph(path), table, spec), expected, atol=1e-6)
