"""One contract over every compression method."""

import inspect

import numpy as np
import onnx
import pytest

from reclife.compression.calibration import Calibration
from reclife.compression.methods import METHODS
from reclife.compression.row_int8 import quantize_rows
from reclife.compression.static_int8 import require_zero_points
from reclife.config.compression import CompressionConfig
from reclife.errors import DataError, ExportError
from reclife.export.graph import open_graph, run_graph, run_tasks
from reclife.export.lower import to_onnx
from reclife.export.parity import compare, require
from toys import ITEMS, deepfm, toy_examples, toy_spec

KINDS = sorted(METHODS)


def declared(kind):
    return CompressionConfig.model_validate({"methods": [{"kind": kind}]}).methods[0]


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    spec = toy_spec()
    path = tmp_path_factory.mktemp("compression") / "original.onnx"
    to_onnx(deepfm(spec), spec, path)
    return path, spec


@pytest.fixture(scope="module", params=KINDS)
def variant(request, original, tmp_path_factory):
    path, spec = original
    method = declared(request.param)
    target = tmp_path_factory.mktemp(request.param) / "int8.onnx"
    METHODS[request.param](path, target, method, Calibration(toy_examples(2000, 5), spec))
    return target


def test_every_declared_kind_has_a_method_and_none_is_hidden():
    kinds = {kind for kind in ("static_int8", "row_int8") if declared(kind).kind == kind}
    assert kinds == set(METHODS)
    assert all(len(inspect.signature(method).parameters) == 4 for method in METHODS.values())


def test_smaller_with_bounded_drift(original, variant):
    path, spec = original
    table = toy_examples(3000, 6)
    before = run_graph(open_graph(path), table, spec)
    after = run_graph(open_graph(variant), table, spec)
    assert variant.stat().st_size < 0.8 * path.stat().st_size
    assert 0 < np.abs(after - before).max() < 0.05
    assert np.abs(after - before).mean() < 0.01
    assert len(np.unique(after)) > 0.9 * len(np.unique(before)), "scores fell into few levels"


def test_a_score_depends_neither_on_batch_nor_on_optimisation(original, variant):
    _, spec = original
    table = toy_examples(4096, 7)
    expected = run_tasks(open_graph(variant), table, spec, 4096)[:300]
    require(compare(variant, "int8", "itself", expected, table.slice(0, 300), spec, 1e-5))


def test_zero_points_are_explicit_and_inputs_unchanged(original, variant):
    graph, before = onnx.load(variant), onnx.load(original[0])
    require_zero_points(graph)
    assert [i.name for i in graph.graph.input] == [i.name for i in before.graph.input]
    assert [o.name for o in graph.graph.output] == ["score"]
    tables = [i for i in graph.graph.initializer if i.dims and i.dims[0] == ITEMS]
    codes = [i for i in tables if i.dims[1] > 1]
    assert len(codes) == 1
    assert codes[0].data_type in (onnx.TensorProto.INT8, onnx.TensorProto.UINT8)


def test_products_of_two_bytes_fit_sums_of_16_bits(original, tmp_path):
    """u8 x s8 pairs are summed in 16 bits where a processor lacks VNNI: 2 * 255 * |w| < 2^15."""
    path, spec = original
    target = tmp_path / "int8.onnx"
    METHODS["static_int8"](
        path, target, declared("static_int8"), Calibration(toy_examples(500, 5), spec)
    )
    matrices = [
        onnx.numpy_helper.to_array(tensor)
        for tensor in onnx.load(target).graph.initializer
        if tensor.data_type == onnx.TensorProto.INT8 and len(tensor.dims) == 2
    ]
    assert matrices
    assert max(2 * 255 * int(np.abs(m.astype(int)).max()) for m in matrices) < 2**15


def test_a_missing_zero_point_is_refused():
    node = onnx.helper.make_node("DequantizeLinear", ["x", "scale"], ["y"], name="bare")
    graph = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [], []))
    with pytest.raises(ExportError, match="bare"):
        require_zero_points(graph)


def test_rows_are_within_half_a_step_and_zero_rows_stay_zero():
    weights = np.random.default_rng(0).standard_normal((50, 9)).astype(np.float32)
    weights[0] = 0
    codes, scale = quantize_rows(weights)
    assert np.abs(codes * scale - weights).max() <= scale.max() / 2 + 1e-7
    assert not (codes[0] * scale[0]).any()
    assert np.abs(codes).max() == 127


def test_calibration_without_rows_is_refused(original, tmp_path):
    path, spec = original
    method = declared("static_int8")
    with pytest.raises(DataError, match="empty"):
        METHODS["static_int8"](
            path, tmp_path / "x.onnx", method, Calibration(toy_examples(0), spec)
        )
