"""Trainings side by side: what they declare, and real processes within their cores."""

import json
from pathlib import Path

import pytest
import yaml
from kedro.io import DataCatalog, MemoryDataset
from pydantic import ValidationError
from tests.training import toy

from reclife.config.trials import TrialsConfig, different
from reclife.errors import ConfigError, EnvironmentProblem
from reclife.pipelines.training.trials import compare
from reclife.runtime.project import PROJECT_VARIABLE
from reclife.training.trials import Trials

GRID = {"model.embedding_dim": [4, 8], "batch_size": [32, 64]}


def declared(**changes: object) -> TrialsConfig:
    return TrialsConfig.model_validate({"cores": 2, "memory": 8, "grid": GRID} | changes)


def test_a_grid_is_every_combination_beside_what_is_listed():
    listed = [{"name": "linear", "training": {"model": {"kind": "logistic_regression"}}}]
    trials = declared(trials=listed).all
    assert [trial.name for trial in trials] == [
        "linear",
        "model.embedding_dim=4,batch_size=32",
        "model.embedding_dim=4,batch_size=64",
        "model.embedding_dim=8,batch_size=32",
        "model.embedding_dim=8,batch_size=64",
    ]
    assert different(toy.config(), trials[0]).model.root.kind == "logistic_regression"
    last = different(toy.config(), trials[-1])
    assert (last.model.root.embedding_dim, last.batch_size, last.epochs) == (8, 64, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"each": {"memory": 9}}, "9 GB, more than the 2 cores and 8 GB of all"),
        ({"grid": {}}, "nothing is to be tried"),
        ({"trials": [{"name": "a", "training": {}}] * 2}, "the trial a is there twice"),
    ],
)
def test_trials_that_cannot_be_are_refused(changes, message):
    with pytest.raises(ValidationError, match=message):
        declared(**changes)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("optimiser.rate", "trial a: training has no 'optimiser.rate'"),
        ("epocs", "trial a: epocs: Extra inputs are not permitted"),
        ("epochs", "trial a: epochs: Input should be a valid integer"),
    ],
)
def test_a_key_or_value_that_is_none_of_training_is_refused(key, message):
    trial = declared(trials=[{"name": "a", "training": {key: "x"}}]).all[0]
    with pytest.raises(ConfigError, match=message):
        different(toy.config(), trial)


def test_as_many_run_at_a_time_as_fit():
    assert declared(each={"cores": 1, "memory": 3}).at_a_time == 2
    assert declared(each={"cores": 1, "memory": 5}).at_a_time == 1


def test_more_cores_than_there_are_is_refused(tmp_path):
    trials = Trials(declared(cores=4096), toy.config(), toy.SPEC, tmp_path)
    with pytest.raises(EnvironmentProblem, match="4096 cores, and there are"):
        trials.run(toy.table(10, 1), toy.table(10, 2))


@pytest.mark.slow
def test_trials_are_processes_side_by_side_and_one_that_fails_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path))
    listed = [
        {"name": "good", "training": {"epochs": 4}},
        {"name": "poor", "training": {"trainable": ["dense/bias/*"], "epochs": 1}},
        {"name": "wrong", "training": {"trainable": ["dense/bies/*"]}},
    ]
    limits = {"cores": 2, "memory": 12, "each": {"cores": 1, "memory": 6}}
    file = tmp_path / "variants.yml"
    file.write_text(yaml.safe_dump({"kind": "trials", "trials": listed, **limits}))
    sparse = {"kind": "adagrad", "learning_rate": 0.5}
    config = toy.config(model={"kind": "fm"}, refit=False, sparse_optimizer=sparse)
    held = {
        "feature_spec": toy.SPEC,
        "train_examples@arrow": toy.table(2000, 1),
        "validation_examples@arrow": toy.table(400, 2),
    }
    catalog = DataCatalog({name: MemoryDataset(data) for name, data in held.items()})
    table = compare(file, catalog, config.model_dump(mode="json")).splitlines()
    assert [line.split()[0] for line in table] == ["trial", "good", "poor", "wrong"]
    good, poor = (float(line.split()[1]) for line in table[1:3])
    assert good > poor + 0.1
    assert "'dense/bies/*', and no part of the model" in table[3]
    kept = json.loads((tmp_path / "data/08_reporting/trials/variants/trials.json").read_text())
    assert kept[0]["report"]["validation"]["like"]["auc"] == pytest.approx(good, abs=5e-5)


@pytest.mark.slow
def test_a_trial_that_holds_more_than_its_memory_is_ended(tmp_path):
    small = declared(grid={"epochs": [1]}, each={"cores": 1, "memory": 0.05})
    (tried,) = Trials(small, toy.config(), toy.SPEC, tmp_path).run(
        toy.table(50, 1), toy.table(50, 2)
    )
    assert "more than the 0.05 GB declared" in tried.problem
