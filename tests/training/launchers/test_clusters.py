"""Synchronous training by several devices and processes: the same weights, whatever happens."""

import os
import re
import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.training import toy
from tests.training.launchers import tasks

from reclife.contracts import TrainingReport
from reclife.errors import EnvironmentProblem, TrainingError
from reclife.training.launchers.cluster import TF_CONFIG, Cluster, Task
from reclife.training.launchers.launch import launch

PROCESSES = {"kind": "processes", "start_seconds": 300}
TWO = {"kind": "multi_worker", "workers": 2, "launcher": PROCESSES}
MIRRORED = {"kind": "mirrored", "devices": 2}
LONG = {"epochs": 4, "batch_size": 16, "checkpoint": {"every_steps": 10}, "early_stopping": None}
CHIEF, WORKER = Task("chief", 0), Task("worker", 0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainingReport]:
    """The training of one process: 10 steps an epoch in fit, 13 in refit."""
    root = tmp_path_factory.mktemp("whole")
    return root, tasks.alone(root, tasks.declared())


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainingReport]:
    root = tmp_path_factory.mktemp("long")
    return root, tasks.alone(root, tasks.declared(**LONG, refit=False))


@pytest.mark.slow
@pytest.mark.parametrize("topology", [MIRRORED, TWO], ids=["mirrored", "multi_worker"])
def test_several_copies_make_the_weights_of_one(topology, whole, tmp_path: Path) -> None:
    root, alone = whole
    report = tasks.together(tmp_path, tasks.declared(topology=topology))
    tasks.assert_same(tmp_path, root)
    assert (report.steps, report.rows) == (alone.steps, alone.rows)
    for row, expected in zip(report.epochs, alone.epochs, strict=True):
        assert row.loss == pytest.approx(expected.loss, rel=1e-5)
        assert row.gradient_norm == pytest.approx(expected.gradient_norm, rel=1e-5)
        for task, values in expected.validation.items():
            assert row.validation[task] == pytest.approx(values, rel=1e-5)


@pytest.mark.slow
def test_killed_tasks_are_started_again_and_every_step_is_done_once(long, tmp_path: Path) -> None:
    """A worker is killed, then the chief of the next attempt: nothing is left of either cluster."""
    seen: list[int] = []

    def kill() -> None:
        for name, step in (("worker-1", 20), ("worker-0", 60)):
            tasks.wait_for(partial(tasks.saved, tmp_path, step), 400)
            found = tasks.wait_for(partial(tasks.started, tmp_path, 2, frozenset(seen)), 120)
            seen.extend(found.values())
            os.kill(found[name], signal.SIGKILL)
            tasks.goes_on(tmp_path, 10)

    killer = tasks.during(kill)
    report = tasks.together(tmp_path, tasks.declared(**LONG, refit=False, topology=TWO))
    killer.result()
    root, alone = long
    tasks.assert_same(tmp_path, root)
    assert report.steps == alone.steps == 4 * 38
    assert report.rows == alone.rows
    assert len(set(seen)) == 4
    assert not any(map(tasks.alive, seen))


@pytest.mark.slow
def test_a_task_that_stands_still_is_named(tmp_path: Path) -> None:
    seen: dict[str, int] = {}

    def stop() -> None:
        tasks.wait_for(partial(tasks.saved, tmp_path, 20), 120)
        seen.update(tasks.pids(tmp_path))
        os.kill(seen["worker-1"], signal.SIGSTOP)
        tasks.wait_for(lambda: not tasks.pids(tmp_path), 120)

    stopper = tasks.during(stop)
    topology = TWO | {"launcher": PROCESSES | {"restarts": 0}}
    config = tasks.declared(**LONG | {"epochs": 99}, refit=False, topology=topology)
    with pytest.raises(TrainingError, match=r"worker-1 does not answer any more.*goes on"):
        tasks.together(tmp_path, config)
    stopper.result()
    assert not any(map(tasks.alive, seen.values()))


@pytest.mark.slow
def test_a_full_disk_is_one_sentence_and_leaves_nobody(tmp_path: Path) -> None:
    seen: dict[str, int] = {}

    def fill() -> None:
        tasks.wait_for(lambda: tasks.steps_saved(tmp_path), 400)
        seen.update(tasks.pids(tmp_path))
        room = 4096  # bytes a file; the log of the task has more already
        resource.prlimit(seen["worker-0"], resource.RLIMIT_FSIZE, (room, room))

    filler = tasks.during(fill)
    with pytest.raises(TrainingError, match=r"checkpoint of step \d+ cannot be written.*goes on"):
        tasks.together(tmp_path, tasks.declared(**LONG, refit=False, topology=TWO))
    filler.result()
    assert not any(map(tasks.alive, seen.values()))
    assert tasks.steps_saved(tmp_path)


@pytest.mark.slow
def test_a_batch_that_is_not_finite_ends_both_and_the_last_finite_state_stays(
    tmp_path: Path,
) -> None:
    train, validation = tasks.DATA
    mean = train["mean"].to_numpy().copy()
    mean[300] = np.inf
    broken = train.set_column(train.schema.get_field_index("mean"), "mean", pa.array(mean))
    config = tasks.declared(topology=TWO, checkpoint={"every_steps": 1})
    with pytest.raises(TrainingError, match=r"stopped at step (\d+) \(fit, epoch 1\)") as caught:
        launch(config, toy.SPEC, broken, validation, run_id="r", **toy.folders(tmp_path))
    step = int(re.findall(r"at step (\d+)", str(caught.value))[0])
    (saved,) = tmp_path.glob("logs/not_finite_step_*.parquet")
    assert np.isinf(pq.read_table(saved)["mean"].to_numpy()).sum() == 1
    assert max(tasks.steps_saved(tmp_path), default=0) == step - 1
    assert not tasks.pids(tmp_path)


def worker(folder: Path, cluster: Cluster, task: Task) -> subprocess.Popen[bytes]:
    """Start `task` as a training operator does: a command and TF_CONFIG."""
    return subprocess.Popen(
        [sys.executable, "-m", "reclife.training.task", str(folder), "--wait", "300"],
        env=os.environ | {TF_CONFIG: cluster.tf_config(task)},
        stdin=subprocess.DEVNULL,
    )


def by_environment(folder: Path, seconds: int) -> dict[str, object]:
    launcher = {"kind": "env", "folder": str(folder), "start_seconds": seconds}
    return {"kind": "multi_worker", "workers": 2, "launcher": launcher}


@pytest.mark.slow
def test_a_cluster_of_an_operator_trains_the_same(whole, tmp_path: Path, monkeypatch) -> None:
    cluster = Cluster.on_this_machine({"chief": 1, "worker": 1})
    monkeypatch.setenv(TF_CONFIG, cluster.tf_config(CHIEF))
    with worker(tmp_path / "job", cluster, WORKER) as other:
        topology = by_environment(tmp_path / "job", 300)
        report = tasks.together(tmp_path, tasks.declared(topology=topology))
        assert other.wait(60) == 0
    tasks.assert_same(tmp_path, whole[0])
    assert report.steps == whole[1].steps


@pytest.mark.slow
def test_a_task_that_does_not_come_is_named(tmp_path: Path, monkeypatch) -> None:
    cluster = Cluster.on_this_machine({"chief": 1, "worker": 1})
    monkeypatch.setenv(TF_CONFIG, cluster.tf_config(CHIEF))
    topology = by_environment(tmp_path / "job", 5)
    with pytest.raises(
        EnvironmentProblem, match=r"no answer within 5 seconds from worker-0 at 127"
    ):
        tasks.together(tmp_path, tasks.declared(topology=topology))
    assert not tasks.pids(tmp_path)


@pytest.mark.slow
def test_a_checkpoint_is_gone_on_from_under_another_topology(whole, tmp_path: Path) -> None:
    """Two devices after one process, from the end of the first epoch."""
    config = tasks.declared(checkpoint={"keep": 9})
    tasks.alone(tmp_path, config)
    for path in tmp_path.glob("checkpoints/*/step-*"):
        if int(path.name[5:]) > 10:
            for file in path.iterdir():
                file.unlink()
            path.rmdir()
    tasks.together(tmp_path, tasks.declared(checkpoint={"keep": 9}, topology=MIRRORED))
    tasks.assert_same(tmp_path, whole[0])
    log = (tmp_path / "checkpoints" / "job" / "tasks" / "worker-0.log").read_text()
    assert "Training goes on after step 10." in log
