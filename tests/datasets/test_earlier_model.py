"""The model to go on from is the one behind the bundle that the pointer names."""

from pathlib import Path

import pytest
from kedro.io import DatasetError
from tests.datasets.test_earlier_state import POINTER, bundle

from reclife.datasets.earlier_model import EarlierModel
from reclife.runtime.files import sha256_of

__all__ = ["bundle"]
MODELS = "data/06_models/model/run_id={run_id}"


@pytest.fixture
def model(bundle: Path) -> Path:
    """The model of the run that made the bundle."""
    folder = bundle.parents[1] / "model/run_id=monday"
    folder.mkdir(parents=True)
    (folder / "weights.npz").write_bytes(b"weights")
    return folder


def test_the_model_and_the_state_of_the_current_bundle(bundle: Path, model: Path) -> None:
    source = EarlierModel(pointer=POINTER, models=MODELS)
    assert source.load() == (model, bundle / "feature_state")
    assert source.lineage() == {"monday:training/model": sha256_of(model)}


def test_the_first_run_starts_at_random(model: Path) -> None:
    source = EarlierModel(pointer="data/06_models/other.json", models=MODELS)
    assert source.load() is None
    assert source.lineage() == {}


def test_a_model_that_was_cleared_away_is_named(bundle: Path) -> None:
    with pytest.raises(DatasetError, match=r"The model of run monday.*warm_start: null"):
        EarlierModel(pointer=POINTER, models=MODELS).load()
