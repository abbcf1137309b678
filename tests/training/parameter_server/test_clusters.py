"""Real workers and servers: what is learnt, and what happens when processes are killed."""

import os
import random
import re
import signal
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.training import toy
from tests.training.launchers import tasks

from reclife.errors import EnvironmentProblem, TrainingError
from reclife.training.launchers.cluster import TF_CONFIG, Cluster, Task
from reclife.training.launchers.launch import launch
from reclife.training.train import train

LONG = {"epochs": 4, "batch_size": 16, "early_stopping": None, "refit": False}
STEPS = 4 * 38  # of 601 rows
TASKS = {"chief-0", "worker-0", "worker-1", "ps-0", "ps-1"}


def servers(restarts: int = 3, **more: object) -> dict[str, object]:
    launcher = {"kind": "processes", "start_seconds": 300, "restarts": restarts}
    cluster = {"kind": "parameter_server", "workers": 2, "servers": 2, "launcher": launcher}
    return cluster | more


def killed(root: Path, name: str, gone: set[int], seconds: float) -> None:
    """Kill the task called `name` once it runs and was not killed before."""

    def running() -> int | None:
        found = tasks.pids(root).get(name)
        return None if found in gone else found

    pid = tasks.wait_for(running, seconds)
    gone.add(pid)
    os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("wire", [{}, {"pull": "int8", "push": "int8"}], ids=["plain", "int8"])
def test_asynchronous_training_is_as_good_as_that_of_one_process(wire, tmp_path: Path) -> None:
    data = toy.table(6000, seed=1), toy.table(4000, seed=2)
    config = toy.config(
        model={"kind": "deepfm", "hidden_units": [8], "dropout": 0.0},
        epochs=4,
        refit=False,
        early_stopping=None,
        sparse_optimizer={"kind": "adagrad", "learning_rate": 0.05},
    )
    alone = train(config, toy.SPEC, *data, run_id="r", **toy.folders(tmp_path / "alone")).report
    declared = config.model_copy(
        update={"topology": toy.config(topology=servers(wire=wire)).topology}
    )
    _, report = launch(declared, toy.SPEC, *data, run_id="r", **toy.folders(tmp_path))
    found, expected = (r.validation["like"]["auc"] for r in (report, alone))
    assert found == pytest.approx(expected, abs=0.002)
    assert found > 0.95
    assert (report.steps, report.rows) == (alone.steps, alone.rows)
    assert report.repeated_steps == ()


@pytest.mark.slow
def test_after_each_kill_training_goes_on(tmp_path: Path) -> None:
    """A worker, then a server, then the chief: the first is started alone, the others with all."""
    gone: set[int] = set()
    seen: list[dict[str, int]] = []

    def complete() -> dict[str, int] | None:
        found = tasks.pids(tmp_path)  # a killed process may be listed for a moment
        return found if len(found) == len(TASKS) and gone.isdisjoint(found.values()) else None

    def kill() -> None:
        tasks.wait_for(partial(tasks.saved, tmp_path, 20), 400)
        before = tasks.pids(tmp_path)
        killed(tmp_path, "worker-1", gone, 10)
        again = tasks.wait_for(complete, 120)
        seen.extend([before, again])
        tasks.goes_on(tmp_path, 10)
        for name, step in (("ps-1", 60), ("chief-0", 100)):
            tasks.wait_for(partial(tasks.saved, tmp_path, step), 400)
            killed(tmp_path, name, gone, 200)
            tasks.goes_on(tmp_path, 10)

    killer = tasks.during(kill)
    config = tasks.declared(**LONG, topology=servers(), checkpoint={"every_steps": 10})
    report = tasks.together(tmp_path, config)
    killer.result()
    before, again = seen
    assert {name for name in TASKS if before[name] != again[name]} == {"worker-1"}
    assert report.steps == STEPS
    assert report.rows == 4 * 601
    assert all(1 <= step <= STEPS for step in report.repeated_steps)
    assert not tasks.pids(tmp_path)


@pytest.mark.slow
def test_a_worker_that_stands_still_is_replaced(tmp_path: Path) -> None:
    def stop() -> None:
        tasks.wait_for(partial(tasks.saved, tmp_path, 20), 120)
        os.kill(tasks.pids(tmp_path)["worker-1"], signal.SIGSTOP)
        tasks.goes_on(tmp_path, 10)

    stopper = tasks.during(stop)
    config = tasks.declared(
        **LONG, topology=servers(servers=1, unit_seconds=15), checkpoint={"every_steps": 10}
    )
    report = tasks.together(tmp_path, config)
    stopper.result()
    assert report.steps == STEPS
    assert not tasks.pids(tmp_path)


@pytest.mark.slow
def test_ten_random_kills_end_at_the_exact_step(tmp_path: Path) -> None:
    """Whichever task is killed, a step is done again within 120 seconds."""
    choice, gone = random.Random(7), set[int]()
    epochs, every = 8, 5
    steps = epochs * 38
    names = sorted(TASKS - {"ps-1"})

    def kill() -> None:
        for step in sorted(choice.sample(range(5, steps - 60), 10)):
            tasks.wait_for(partial(tasks.saved, tmp_path, step), 120)
            killed(tmp_path, choice.choice(names), gone, 120)
            tasks.goes_on(tmp_path, every)

    killer = tasks.during(kill)
    config = tasks.declared(
        **LONG | {"epochs": epochs},
        topology=servers(restarts=10, servers=1),
        checkpoint={"every_steps": every},
    )
    report = tasks.together(tmp_path, config)
    killer.result()
    assert len(gone) == 10
    assert report.steps == steps
    assert report.rows == epochs * 601
    assert [row.epoch for row in report.epochs] == [*range(1, epochs + 1)]
    assert all(1 <= step <= steps for step in report.repeated_steps)
    assert all(np.isfinite(row.loss) for row in report.epochs)
    assert not tasks.pids(tmp_path)


@pytest.mark.slow
def test_a_missing_task_is_named(tmp_path: Path, monkeypatch) -> None:
    cluster = Cluster.on_this_machine({"chief": 1, "worker": 1, "ps": 1})
    monkeypatch.setenv(TF_CONFIG, cluster.tf_config(Task("chief", 0)))
    launcher = {"kind": "env", "folder": str(tmp_path / "job"), "start_seconds": 5}
    topology = servers(workers=1, servers=1, launcher=launcher)
    began = time.monotonic()
    with pytest.raises(EnvironmentProblem, match=r"5 seconds from worker-0 at .*, ps-0 at 127"):
        tasks.together(tmp_path, tasks.declared(topology=topology))
    assert time.monotonic() - began < 120


@pytest.mark.slow
def test_a_batch_that_is_not_finite_is_named_and_kept(tmp_path: Path) -> None:
    table, validation = tasks.DATA
    mean = table["mean"].to_numpy().copy()
    mean[300] = np.inf
    broken = table.set_column(table.schema.get_field_index("mean"), "mean", pa.array(mean))
    config = tasks.declared(topology=servers(), checkpoint={"every_steps": 1})
    with pytest.raises(TrainingError, match=r"stopped at step (\d+) \(fit, epoch 1\)") as caught:
        launch(config, toy.SPEC, broken, validation, run_id="r", **toy.folders(tmp_path))
    step = int(re.findall(r"at step (\d+)", str(caught.value))[0])
    (saved,) = tmp_path.glob("logs/not_finite_step_*.parquet")
    assert np.isinf(pq.read_table(saved)["mean"].to_numpy()).sum() == 1
    assert max(tasks.steps_saved(tmp_path), default=0) == step - 1
    assert not tasks.pids(tmp_path)


@pytest.mark.slow
def test_a_training_by_servers_goes_on_in_one_process(tmp_path: Path) -> None:
    config = tasks.declared(**LONG | {"epochs": 1}, topology=servers(workers=1, servers=1))
    report = tasks.together(tmp_path, config)
    saved = tasks.steps_saved(tmp_path)
    again = tasks.alone(tmp_path, tasks.declared(**LONG | {"epochs": 1}))
    assert again.epochs == report.epochs  # read from the checkpoint: nothing was trained again
    assert tasks.steps_saved(tmp_path) == saved
