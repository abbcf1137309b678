"""The scoring engine: columns by name, ids checked, one session a process, golden rows hold."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reclife.contracts import Origin
from reclife.datasets.bundle import Bundle, seal
from reclife.errors import ArtifactError, DataError
from reclife.export.bundle import golden_rows
from reclife.export.lower import to_onnx
from reclife.models.saved import predict
from reclife.scoring.engine import Engine, check_golden
from reclife.scoring.rate import scoring_rate
from toys import ITEMS, deepfm, toy_examples, toy_spec

ORIGIN = Origin(run_id="run-1", code_version="1", config_hash="c", data_fingerprint="d")


@pytest.fixture(scope="module")
def model():
    return deepfm(toy_spec())


@pytest.fixture(scope="module")
def bundle(model, tmp_path_factory):
    folder, spec = tmp_path_factory.mktemp("bundle"), toy_spec()
    to_onnx(model, spec, folder / "model.onnx")
    graph = folder / "model.onnx"
    pq.write_table(golden_rows(graph, graph, toy_examples(200), spec), folder / "golden.parquet")
    (folder / "feature_spec.json").write_text(spec.model_dump_json())
    seal(folder, ORIGIN, "deepfm", "model.onnx", spec.hash)
    return Bundle.open(folder)


def test_scores_are_those_of_the_trainer_with_columns_in_any_order(model, bundle):
    table = toy_examples(1000, 4)
    expected = predict(model, table)
    engine = Engine.of(bundle, batch_rows=300)
    for columns in (table.column_names, table.column_names[::-1], sorted(table.column_names)):
        np.testing.assert_allclose(engine.score(table.select(columns)), expected, atol=1e-5)


def test_no_rows_give_no_scores(bundle):
    assert Engine.of(bundle).score(toy_examples(0)).shape == (0,)


@pytest.mark.parametrize("bad", [-1, ITEMS, 2**40])
def test_an_id_outside_its_table_is_refused(bundle, bad):
    table = toy_examples(10)
    ids = table["item"].to_pylist()
    ids[3] = bad
    table = table.set_column(table.column_names.index("item"), "item", pa.array(ids))
    with pytest.raises(DataError, match=r"'item': 1 id\(s\) lie outside its table of 300"):
        Engine.of(bundle).score(table)


def test_a_missing_column_is_named(bundle):
    with pytest.raises(DataError, match="user_mean"):
        Engine.of(bundle).score(toy_examples(3).drop_columns(["user_mean"]))


def test_engines_of_one_graph_share_a_session(bundle):
    assert Engine.of(bundle).session is Engine.of(bundle, batch_rows=7).session


def test_golden_rows_hold_here_and_a_difference_is_refused(bundle, tmp_path):
    assert check_golden(Engine.of(bundle), bundle, 1e-6) <= 1e-6
    golden = pq.read_table(bundle.golden)
    moved = pa.array(np.asarray(golden["score"]) + np.float32(0.01))
    position = golden.column_names.index("score")
    pq.write_table(golden.set_column(position, "score", moved), tmp_path / "golden.parquet")
    with pytest.raises(ArtifactError, match="200 of 200 golden rows"):
        check_golden(Engine.of(bundle), Bundle(tmp_path, bundle.manifest), 1e-4)


def test_a_graph_that_does_not_fit_its_specification_is_refused(bundle, tmp_path):
    spec = toy_spec()
    longer = spec.features[1].model_copy(update={"shape": (9,)})
    other = spec.model_copy(update={"features": (spec.features[0], longer, *spec.features[2:3])})
    (tmp_path / "model.onnx").write_bytes(bundle.graph.read_bytes())
    (tmp_path / "feature_spec.json").write_text(other.model_dump_json())
    seal(tmp_path, ORIGIN, "deepfm", "model.onnx", other.hash)
    with pytest.raises(ArtifactError, match=r"类别 is tensor.*item_count is not in the spec"):
        Engine.of(Bundle.open(tmp_path))


def test_the_rate_is_measured(bundle):
    assert scoring_rate(bundle.folder, seconds=0.2, batch_rows=512) > 1000


def test_scoring_needs_no_tensorflow(bundle):
    code = (
        "import sys; from pathlib import Path\n"
        "from reclife.scoring.rate import scoring_rate\n"
        f"scoring_rate(Path({str(bundle.folder)!r}), 0.01, batch_rows=64)\n"
        "assert not {'tensorflow', 'keras', 'pyspark'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
