"""A bundle is read only when every file is the one that was exported."""

import pytest

from reclife.contracts import Origin
from reclife.datasets.bundle import Bundle, seal
from reclife.errors import ArtifactError
from toys import toy_spec

ORIGIN = Origin(run_id="run-1", code_version="1", config_hash="c", data_fingerprint="d")


@pytest.fixture
def folder(tmp_path):
    spec = toy_spec()
    (tmp_path / "model.onnx").write_bytes(b"graph")
    (tmp_path / "feature_spec.json").write_text(spec.model_dump_json())
    (tmp_path / "candidates").mkdir()
    (tmp_path / "candidates" / "items.parquet").write_bytes(b"items")
    seal(tmp_path, ORIGIN, "deepfm", "model.onnx", spec.hash)
    return tmp_path


def test_a_sealed_bundle_opens(folder):
    bundle = Bundle.open(folder)
    assert bundle.manifest.run_id == "run-1"
    assert bundle.graph.read_bytes() == b"graph"
    assert bundle.spec() == toy_spec()
    assert {f.path: f.bytes for f in bundle.manifest.files}["candidates/items.parquet"] == 5


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda f: (f / "model.onnx").write_bytes(b"GRAPH"), "model.onnx was changed or swapped"),
        (lambda f: (f / "model.onnx").write_bytes(b"gra"), "model.onnx has another size"),
        (lambda f: (f / "candidates/items.parquet").unlink(), "candidates/items.parquet is miss"),
        (lambda f: (f / "stale.onnx").write_bytes(b"x"), "stale.onnx does not belong"),
        (lambda f: (f / "manifest.json").unlink(), "has no manifest.json: its export did not fin"),
        (lambda f: (f / "manifest.json").write_text('{"run_id"'), "manifest.json is damaged"),
    ],
)
def test_a_damaged_bundle_is_refused_in_one_sentence(folder, damage, sentence):
    damage(folder)
    with pytest.raises(ArtifactError, match=sentence) as caught:
        Bundle.open(folder)
    assert "kedro run --pipelines export" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_specification_that_the_manifest_does_not_name_is_refused(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"graph")
    (tmp_path / "feature_spec.json").write_text(toy_spec().model_dump_json())
    seal(tmp_path, ORIGIN, "deepfm", "model.onnx", "another hash")
    with pytest.raises(ArtifactError, match="not the specification"):
        Bundle.open(tmp_path)
