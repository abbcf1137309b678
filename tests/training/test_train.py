"""Whole trainings of the toy: learning, identity by seed, resume, the stop on a non-finite loss."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.training import toy

from reclife.contracts import PADDING_ID
from reclife.errors import TrainingError
from reclife.models.ranking import RankingModel
from reclife.training.checkpoints import Checkpoints
from reclife.training.examples import Batches, Examples
from reclife.training.replicas import Alone
from reclife.training.sparse import OPTIMIZERS
from reclife.training.synchronous import SynchronousTrainer, synchronous
from reclife.training.train import Trained, train
from reclife.training.trainer import Rates


def run(root: Path, config: Any, rows: int = 600) -> Trained:
    data = toy.table(rows, seed=1), toy.table(200, seed=2)
    return train(config, toy.SPEC, *data, run_id="r", **toy.folders(root))


def weights(model: RankingModel) -> dict[str, np.ndarray]:
    return {name: variable.numpy() for name, variable in model.weights().items()}


def assert_same(one: RankingModel, other: RankingModel) -> None:
    expected = weights(other)
    for name, value in weights(one).items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


@pytest.mark.parametrize("kind", ["logistic_regression", "deepfm", "din"])
@pytest.mark.parametrize("sparse", sorted(OPTIMIZERS))
def test_the_loss_falls_and_the_order_of_the_validation_examples_is_learnt(kind, sparse, tmp_path):
    config = toy.config(
        model={"kind": kind},
        epochs=6,
        refit=False,
        sparse_optimizer={"kind": sparse, "learning_rate": 1.0 if sparse == "sgd" else 0.05},
        dense_optimizer={"kind": "adam", "learning_rate": 0.02},
    )
    report = run(tmp_path, config, rows=2000).report
    fit = [row for row in report.epochs if row.phase == "fit"]
    assert fit[-1].loss < fit[0].loss
    assert fit[-1].loss < 0.7 * np.log(2)  # of the loss of one probability for all
    assert report.validation["like"]["auc"] > 0.9


def test_a_step_changes_only_the_rows_of_its_batch_and_never_the_padding_row():
    spec = toy.SPEC
    config = toy.config(model={"kind": "deepfm", "embedding_l2": 0.1})
    trainer = synchronous(Alone())(config, spec, 1)
    model = trainer.model
    examples = toy.examples(toy.table(8, seed=1), model, spec)
    before = {name: table.numpy() for name, table in model.tables.items()}
    for step in (1, 2, 3):
        trainer.step(trainer.prepare(examples, np.arange(8)), Rates(0.05, 0.01, step))
    trainer.unpack()
    seen = {
        "items": np.union1d(examples.inputs["item"], examples.inputs["history"]),
        "genres": np.unique(examples.inputs["genres"]),
    }
    for name, table in model.tables.items():
        changed = np.flatnonzero((table.numpy() != before[name]).any(axis=1))
        assert set(changed) == set(seen[name]) - {PADDING_ID}, name
        assert len(changed) < len(before[name])


def test_one_step_follows_the_gradient_of_the_weighted_loss():
    spec = toy.spec_of("item").model_copy(update={"weight": "weight"})
    columns = {"item": [2, 3], "label": [1.0, 0.0], "weight": [3.0, 1.0], "user_id": [1, 1]}
    table = pa.table(columns)
    config = toy.config(
        model={"kind": "logistic_regression"},
        sparse_optimizer={"kind": "adagrad", "learning_rate": 0.1, "initial_accumulator": 1.0},
    )
    trainer = synchronous(Alone())(config, spec, 1)
    model = trainer.model
    batch = trainer.prepare(toy.examples(table, model, spec), np.arange(2))
    result = trainer.step(batch, Rates(0.1, 0.01, step=1))
    trainer.unpack()
    assert result.loss == pytest.approx(np.log(2))  # all weights are zero: every score is 1/2
    gradient = np.array([3 * (0.5 - 1), 1 * (0.5 - 0)]) / 4
    expected = -0.1 * gradient / np.sqrt(1.0 + gradient**2)
    np.testing.assert_allclose(model.tables["items"].numpy()[[2, 3], 0], expected, rtol=1e-5)
    bias = gradient.sum()
    assert result.gradient_norm == pytest.approx(np.sqrt((gradient**2).sum() + bias**2))


def test_the_seed_decides_everything(tmp_path):
    config = toy.config(epochs=1, refit=False)
    first, again = run(tmp_path / "a", config), run(tmp_path / "b", config)
    assert_same(first.model, again.model)
    other = run(tmp_path / "c", config.model_copy(update={"seed": 6}))
    tables = [weights(trained.model)["table/items"] for trained in (first, other)]
    assert not np.array_equal(*tables)


def test_xla_trains_the_same_model(tmp_path):
    config = toy.config(model={"kind": "deepfm", "dropout": 0.0}, epochs=1, refit=False)
    plain = run(tmp_path / "a", config)
    compiled = run(tmp_path / "b", config.model_copy(update={"xla": True}))
    for name, value in weights(plain.model).items():
        np.testing.assert_allclose(weights(compiled.model)[name], value, atol=1e-4, err_msg=name)


class Killed(BaseException):
    """Stands for the end of the process."""


def killing(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Let the process die at the start of `step`, counted over all phases."""
    calls, real = iter(range(1, 10_000)), SynchronousTrainer.step

    def dying(self: SynchronousTrainer, *arguments: Any, **options: Any) -> Any:
        if next(calls) == step:
            raise Killed
        return real(self, *arguments, **options)

    monkeypatch.setattr(SynchronousTrainer, "step", dying)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """An uninterrupted run: 10 steps an epoch in fit, 13 in refit."""
    return run(tmp_path_factory.mktemp("whole"), toy.config(checkpoint={"every_steps": 4}))


@pytest.mark.parametrize("step", [8, 30], ids=["within an epoch of fit", "within the refit"])
def test_killed_and_run_again_gives_the_weights_of_an_uninterrupted_run(
    step, whole, tmp_path, monkeypatch
):
    config = toy.config(checkpoint={"every_steps": 4})
    with monkeypatch.context() as patched:
        killing(patched, step)
        with pytest.raises(Killed):
            run(tmp_path / "killed", config)
    counted: list[int] = []
    real = SynchronousTrainer.step

    def counting(self: SynchronousTrainer, *arguments: Any, **options: Any) -> Any:
        counted.append(1)
        return real(self, *arguments, **options)

    monkeypatch.setattr(SynchronousTrainer, "step", counting)
    resumed = run(tmp_path / "killed", config)
    assert len(counted) == whole.report.steps - 4 * ((step - 1) // 4)  # none is done twice
    assert_same(resumed.model, whole.model)
    losses = [[(row.loss, row.gradient_norm) for row in t.report.epochs] for t in (resumed, whole)]
    assert losses[0] == losses[1]


def test_a_finished_training_is_not_done_again(tmp_path, monkeypatch):
    config = toy.config(epochs=1, model={"kind": "logistic_regression"})
    first = run(tmp_path, config)
    killing(monkeypatch, 1)
    assert_same(run(tmp_path, config).model, first.model)


def test_another_declaration_starts_from_scratch(tmp_path):
    short = {"epochs": 1, "refit": False, "model": {"kind": "logistic_regression"}}
    run(tmp_path, toy.config(**short))
    report = run(
        tmp_path, toy.config(**short, dense_optimizer={"kind": "adam", "learning_rate": 0.01})
    ).report
    assert report.epochs[0].learning_rate == pytest.approx(0.01)


def test_a_non_finite_loss_stops_at_its_step_and_leaves_the_last_finite_checkpoint(tmp_path):
    table = toy.table(640, seed=1)
    mean = table["mean"].to_numpy().copy()
    batches = Batches(Examples({}, mean, mean, mean), 64, _fit_seed())
    sixth = batches.positions(batches.order(1), 5)
    mean[sixth[0]] = np.inf
    at = table.schema.get_field_index("mean")
    table = table.set_column(at, "mean", pa.array(mean))
    config = toy.config(checkpoint={"every_steps": 1})
    data = table, toy.table(50, seed=2)
    told = r"stopped at step 6 \(fit, epoch 1\).* Not finite in them: mean;"
    with pytest.raises(TrainingError, match=told):
        train(config, toy.SPEC, *data, run_id="r", **toy.folders(tmp_path))
    saved = pq.read_table(tmp_path / "logs" / "not_finite_step_0000000006.parquet")
    assert saved == table.take(sixth)
    folder = next((tmp_path / "checkpoints").iterdir())
    checkpoints = Checkpoints(tmp_path / "checkpoints", folder.name, keep=2)
    latest = checkpoints.latest()
    assert latest is not None
    assert latest.progress.step == 5
    assert all(np.isfinite(array).all() for array in latest.arrays.values())


def _fit_seed() -> int:
    from reclife.runtime.seeds import derive

    return derive(toy.config().seed, "fit")


def test_the_best_epoch_is_kept_and_training_stops_after_patience(tmp_path):
    config = toy.config(
        epochs=30,
        refit=False,
        early_stopping={"metric": "logloss", "patience": 2},
        sparse_optimizer={"kind": "lazy_adam", "learning_rate": 0.3},
    )
    trained = run(tmp_path, config, rows=300)
    values = [row.validation["like"]["logloss"] for row in trained.report.epochs]
    best = int(np.argmin(values)) + 1
    assert trained.report.best_epoch == best
    assert len(values) == best + 2
    assert trained.report.validation["like"]["logloss"] == min(values)
    assert logloss_of(trained.model) == pytest.approx(min(values), rel=1e-5)


def logloss_of(model: RankingModel) -> float:
    from reclife.models.saved import predict

    table = toy.table(200, seed=2)
    y, p = table["label"].to_numpy(), predict(model, table).astype(float)
    return float(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))


def test_the_refit_sees_train_and_validation_for_the_best_number_of_epochs(tmp_path):
    report = run(tmp_path, toy.config(model={"kind": "logistic_regression"})).report
    refit = [row for row in report.epochs if row.phase == "refit"]
    fit = [row for row in report.epochs if row.phase == "fit"]
    assert report.refitted
    assert len(refit) == report.best_epoch
    assert report.rows == 600 * len(fit) + 800 * len(refit)
    assert report.steps == 10 * len(fit) + 13 * len(refit)


def test_without_validation_all_epochs_are_done(tmp_path):
    table = toy.table(300, seed=1)
    data = table, table.slice(0, 0)
    config = toy.config(epochs=3, model={"kind": "logistic_regression"})
    report = train(config, toy.SPEC, *data, run_id="r", **toy.folders(tmp_path)).report
    assert [row.epoch for row in report.epochs] == [1, 2, 3]
    assert report.validation == {}
    assert not report.refitted


def test_unused_features_are_reported(tmp_path):
    model = {"kind": "logistic_regression", "exclude_features": ["mood"]}
    config = toy.config(model=model, epochs=1, refit=False)
    report = run(tmp_path, config).report
    assert report.unused_features == ("mood",)
    assert report.used_features == ("item", "genres", "history", "mean")


@pytest.mark.parametrize(
    ("labels", "message"),
    [([], "no training examples"), ([1.0, 1.0], "All 2 training examples have the label 1")],
)
def test_data_without_anything_to_learn_is_refused(labels, message, tmp_path):
    table = toy.table(len(labels), seed=1)
    at = table.schema.get_field_index("label")
    table = table.set_column(at, "label", pa.array(labels, pa.float64()))
    with pytest.raises(TrainingError, match=message):
        train(toy.config(), toy.SPEC, table, table, run_id="r", **toy.folders(tmp_path))


def test_a_constant_feature_is_named(tmp_path, caplog):
    table = toy.table(100, seed=1)
    at = table.schema.get_field_index("mean")
    constant = table.set_column(at, "mean", pa.array(np.full(100, 3.0), pa.float32()))
    config = toy.config(epochs=1, refit=False, model={"kind": "logistic_regression"})
    train(config, toy.SPEC, constant, table, run_id="r", **toy.folders(tmp_path))
    warned = [record.getMessage() for record in caplog.records if "constant" in record.getMessage()]
    assert len(warned) == 1
    assert "'mean'" in warned[0]


def test_tensorboard_finds_the_scalars(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    config = toy.config(model={"kind": "logistic_regression"}, watch={"every_steps": 3})
    report = run(tmp_path, config).report
    found = EventAccumulator(str(tmp_path / "logs"), size_guidance={"tensors": 0})
    found.Reload()
    tags = set(found.Tags()["tensors"])
    assert {"fit/loss", "fit/gradient_norm", "fit/learning_rate", "refit/loss"} <= tags
    assert {f"fit/validation/like/{name}" for name in ("auc", "gauc", "logloss")} <= tags
    looked = [event.step for tag in ("fit/loss", "refit/loss") for event in found.Tensors(tag)]
    assert looked == list(range(1, report.steps + 1, 3))


@pytest.mark.slow
def test_a_process_killed_for_real_is_resumed_exactly(tmp_path, project):
    script = textwrap.dedent(
        """
        import sys, pathlib, toy
        from reclife.models.saved import save_model
        from reclife.training.train import train
        root = pathlib.Path(sys.argv[1])
        config = toy.config(epochs=6, batch_size=8, checkpoint={"every_steps": 50, "keep": 2})
        model, *_ = train(config, toy.SPEC, toy.table(4000, 1), toy.table(400, 2), run_id="r",
                         **toy.folders(root))
        save_model(model, config.model, toy.SPEC, root / "model")
        """
    )

    def start(root: Path) -> subprocess.Popen[bytes]:
        command, here = [sys.executable, "-c", script, str(root)], Path(toy.__file__).parent
        return subprocess.Popen(command, cwd=project, env=os.environ | {"PYTHONPATH": str(here)})

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start(whole).wait(300) == 0
    for step in (300, 1500):
        process = start(killed)
        deadline = time.monotonic() + 120
        while not any(int(p.name[5:]) >= step for p in killed.glob("checkpoints/*/step-*")):
            assert process.poll() is None, "ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not (killed / "model").exists()
    assert start(killed).wait(300) == 0
    with np.load(whole / "model/weights.npz") as a, np.load(killed / "model/weights.npz") as b:
        assert a.files == b.files
        for name in a.files:
            np.testing.assert_array_equal(a[name], b[name], err_msg=name)
