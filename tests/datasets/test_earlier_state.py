"""The state to grow from is that of the bundle that the pointer names, checked and noted."""

from pathlib import Path

import pytest

from reclife.contracts import Origin, Pointer
from reclife.datasets.bundle import seal
from reclife.datasets.earlier_state import EarlierState
from reclife.errors import ArtifactError
from reclife.runtime.files import sha256_of
from reclife.runtime.project import PROJECT_VARIABLE
from toys import toy_spec

POINTER = "data/06_models/current.json"
ORIGIN = Origin(run_id="monday", code_version="1", config_hash="c", data_fingerprint="d")


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sealed bundle that is the current one."""
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path))
    folder = tmp_path / "data/06_models/bundles/run_id=monday"
    (folder / "feature_state").mkdir(parents=True)
    (folder / "feature_state/state.json").write_text("{}")
    (folder / "model.onnx").write_bytes(b"graph")
    (folder / "feature_spec.json").write_text(toy_spec().model_dump_json())
    seal(folder, ORIGIN, "deepfm", "model.onnx", toy_spec().hash)
    pointer = Pointer(run_id="monday", path="data/06_models/bundles/run_id=monday")
    (tmp_path / POINTER).write_text(pointer.model_dump_json())
    return folder


def test_the_state_of_the_current_bundle(bundle: Path) -> None:
    source = EarlierState(pointer=POINTER)
    assert source.load() == bundle / "feature_state"
    expected = {"monday:features/feature_state": sha256_of(bundle / "feature_state")}
    assert source.lineage() == expected


def test_the_first_run_has_nothing_to_grow_from(bundle: Path) -> None:
    source = EarlierState(pointer="data/06_models/other.json")
    assert source.load() is None
    assert source.lineage() == {}


def test_a_changed_state_is_refused(bundle: Path) -> None:
    (bundle / "feature_state/state.json").write_text("[]")
    with pytest.raises(ArtifactError, match=r"state\.json was changed"):
        EarlierState(pointer=POINTER).lineage()
