"""The training stage on the toy, node by node."""

import numpy as np
import pyarrow as pa
import pytest
from tests.measured import feature_stats
from tests.training import toy
from tests.transforms.rows import state_of

from reclife.errors import ConfigError, ExportError
from reclife.pipelines.training import nodes
from reclife.pipelines.training.pipeline import create_pipeline
from reclife.transforms.state import FeatureState

STATS = feature_stats(validation_start=50, test_start=100)
EVENTS = pa.table(
    {
        "user_id": [1, 1, 2, 2, 3],
        "item_id": [10, 11, 10, 12, 12],
        "timestamp": [1, 2, 99, 100, 101],
        "label": [1.0] * 5,
    }
)


def test_the_model_written_by_the_node_is_the_one_it_trained(tmp_path):
    from reclife.models.saved import load_model, predict

    config = toy.config(epochs=1, refit=False)
    train, validation = toy.table(300, seed=1), toy.table(100, seed=2)
    folders = toy.folders(tmp_path)
    write, report = nodes.train_model(
        train,
        validation,
        toy.SPEC,
        config,
        folders["checkpoints"],
        folders["logs"],
        "run",
        "hash",
        tmp_path / "state",
    )
    write(tmp_path / "model")
    scores = predict(load_model(tmp_path / "model", toy.SPEC), validation)
    y = validation["label"].to_numpy()
    logloss = -np.mean(y * np.log(scores) + (1 - y) * np.log(1 - scores))
    assert report.validation["like"]["logloss"] == pytest.approx(logloss, rel=1e-5)
    assert report.run_id == "run"
    assert report.spec_hash == toy.SPEC.hash


def test_the_export_is_tried_before_training(monkeypatch):
    from reclife.export import probe

    def refuse(model: object, spec: object) -> None:
        raise ExportError("cannot be lowered")

    config = toy.config()
    assert nodes.probe_export(toy.SPEC, config) == toy.SPEC.hash
    monkeypatch.setattr(probe, "check_exportable", refuse)
    with pytest.raises(ExportError):
        nodes.probe_export(toy.SPEC, config)


def test_training_waits_for_the_probe_and_validation_is_last():
    order = [node.name.split(".")[-1] for node in create_pipeline().nodes]
    assert order.index("probe_export") < order.index("train_model")
    assert order[-1] == "validate"


def test_the_written_candidates_can_be_read(tmp_path):
    from reclife.retrieval.candidates import CandidateSource

    write = nodes.fit_candidates(EVENTS, *[EVENTS] * 3, toy.SPEC, STATS, toy.config())
    write(tmp_path)
    assert set(CandidateSource.load(tmp_path).items.to_pylist()) == {10, 11}
    assert nodes.describe_source(tmp_path) is None  # of a formula there is nothing to draw


@pytest.mark.parametrize("kind", ["mf", "two_tower"])
def test_a_trained_source_is_described_as_large_as_it_is(tmp_path, kind):
    source = {"kind": kind, "embedding_dim": 4, "epochs": 1}
    config = toy.config(candidates={"source": source})
    nodes.fit_candidates(EVENTS, *[EVENTS] * 3, toy.SPEC, STATS, config)(tmp_path)
    summary = nodes.describe_source(tmp_path)
    parts = {part.name: part for part in summary.parts}
    assert summary.model_kind == kind
    assert parts["items"].shape == "[3, 4]"  # two items before the cut, and padding
    if kind == "mf":
        assert parts["users"].shape == "[2, 4]"


def places(*values: str) -> FeatureState:
    declared = {"kind": "category", "name": "place", "source": "interaction", "column": "x"}
    return state_of(declared, vocabularies={"place": pa.array(values)})


def test_a_state_that_moved_the_ids_of_the_earlier_model_is_refused(tmp_path):
    for name, state in (
        ("earlier", places("b", "a")),
        ("grown", places("b", "a", "c")),
        ("fitted", places("a", "b", "c")),
    ):
        (tmp_path / name).mkdir()
        state.save(tmp_path / name)
    nodes.check_growth(tmp_path / "earlier", tmp_path / "grown")
    with pytest.raises(ConfigError, match="vocabularies of this run do not extend"):
        nodes.check_growth(tmp_path / "earlier", tmp_path / "fitted")
