"""The parity table: every way of running is there, and a difference is never passed over."""

import numpy as np
import pytest

from reclife.errors import ExportError
from reclife.export.lower import to_onnx
from reclife.export.parity import compare, require
from reclife.models.saved import predict_tasks
from toys import deepfm, toy_examples, toy_spec


@pytest.fixture(scope="module")
def lowered(tmp_path_factory):
    spec = toy_spec()
    model = deepfm(spec)
    path = tmp_path_factory.mktemp("parity") / "model.onnx"
    to_onnx(model, spec, path)
    return spec, model, path


def test_every_way_of_running_is_compared(lowered):
    spec, model, path = lowered
    table = toy_examples(64)
    rows = compare(path, "original", "model", predict_tasks(model, table), table, spec, 1e-5)
    ways = {(row.batch, row.optimisation, row.columns) for row in rows}
    assert ways == {
        (batch, level, order)
        for batch in (1, 64)
        for level in ("none", "all")
        for order in ("declared", "permuted")
    }
    require(rows)


def test_a_difference_beyond_the_tolerance_raises(lowered):
    spec, model, path = lowered
    table = toy_examples(8)
    expected = predict_tasks(model, table)
    expected[5] += 2e-5
    with pytest.raises(ExportError, match="differs from model by 2"):
        require(compare(path, "original", "model", expected, table, spec, 1e-5))


def test_a_score_that_is_not_a_number_is_a_difference(lowered):
    spec, _, path = lowered
    table = toy_examples(4).drop_columns(["user_mean"])
    table = table.append_column("user_mean", [np.array([0, 1, np.nan, 0], np.float32)])
    with pytest.raises(ExportError, match="inf"):
        require(compare(path, "original", "model", np.zeros((4, 1), np.float32), table, spec, 1.0))
