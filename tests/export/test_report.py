"""The parity report of a compressed graph."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.models.zoo import SPEC, declared, scrambled, table

from reclife.compression.calibration import Calibration
from reclife.compression.static_int8 import compress
from reclife.config.compression import StaticInt8Config
from reclife.config.export import ExportConfig
from reclife.contracts import ChosenGraph
from reclife.errors import ExportError
from reclife.export.graph import open_graph, run_tasks
from reclife.export.lower import to_onnx
from reclife.export.report import parity_report
from reclife.models import build

ROWS = 200


def test_a_value_on_the_edge_of_two_levels_does_not_stop_the_export(tmp_path: Path) -> None:
    """Of the int8 graph of this model most rows differ with the optimiser, by a level or two."""
    model = scrambled(build(declared("autoint"), SPEC, seed=1))
    original, small = tmp_path / "original.onnx", tmp_path / "int8.onnx"
    to_onnx(model, SPEC, original)
    compress(original, small, StaticInt8Config(), Calibration(table(2000, seed=5), SPEC))
    graphs = {"original": original.name, "int8": small.name}
    chosen = ChosenGraph(variant="int8", graphs=graphs).model_dump_json()
    (tmp_path / "chosen.json").write_text(chosen, encoding="utf-8")
    golden = table(ROWS, seed=6)
    scores = [run_tasks(open_graph(small, level), golden, SPEC) for level in ("none", "all")]
    assert 1e-4 < np.abs(scores[0] - scores[1]).max() < 0.05
    report = parity_report(model, tmp_path, SPEC, golden, ExportConfig(), "run")
    assert {(row.graph, row.optimisation) for row in report.parity} == {
        ("original", "none"),
        ("original", "all"),
        ("int8", "all"),
    }
    assert {row.batch for row in report.parity if row.graph == "int8"} == {1, ROWS}
    shutil.copyfile(small, original)  # a float graph that is none is still refused
    with pytest.raises(ExportError, match="original graph differs from model"):
        parity_report(model, tmp_path, SPEC, golden, ExportConfig(), "run")
