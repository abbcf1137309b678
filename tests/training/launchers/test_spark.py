"""The executors of a real standalone cluster host the tasks of a training."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.standalone import standalone
from tests.training.launchers import tasks

pytestmark = pytest.mark.slow

LONG = {"epochs": 2, "batch_size": 16, "checkpoint": {"every_steps": 10}, "early_stopping": None}
LAUNCHER = {"kind": "spark", "start_seconds": 300}
TOPOLOGY = {"kind": "multi_worker", "workers": 2, "launcher": LAUNCHER}
DECLARED = {**LONG, "refit": False}
SETTINGS = {
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.ui.enabled": "false",
}
DRIVER = """
import json, sys
from pathlib import Path
from reclife.errors import ReclifeError
from reclife.runtime.spark import start, stop
from tests.training.launchers import tasks
start(json.loads(sys.argv[2]))
try:
    tasks.together(Path(sys.argv[1]), tasks.declared(**json.loads(sys.argv[3])))
except ReclifeError as error:
    print("REFUSED", error, flush=True)
stop()
"""


@pytest.fixture(scope="module")
def master(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address and the folder of a standalone master with two workers of one core each."""
    folder = tmp_path_factory.mktemp("spark")
    with standalone(project, folder, memory="600m") as address:
        yield address, folder


def driver(root: Path, master: str, project: Path, **changes: Any) -> subprocess.Popen[str]:
    settings, declared = SETTINGS | {"spark.master": master}, {**DECLARED, **changes}
    arguments = [str(root), json.dumps(settings), json.dumps(declared)]
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, *arguments],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(project)},
        stdout=subprocess.PIPE,
        text=True,
    )


def executors(folder: Path) -> list[int]:
    """Return the executors that work below `folder`."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            here = (process / "cwd").readlink().is_relative_to(folder)
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command and here:
            found.append(int(process.name))
    return found


def test_executors_host_the_tasks_and_one_that_is_lost_is_recovered_from(
    master: tuple[str, Path], project: Path, tmp_path: Path
) -> None:
    with driver(tmp_path, master[0], project, topology=TOPOLOGY) as process:
        tasks.wait_for(partial(tasks.saved, tmp_path, 20), 400)
        hosted = tasks.pids(tmp_path)
        assert set(hosted) == {"worker-0", "worker-1"}
        os.kill(executors(master[1])[0], signal.SIGKILL)
        assert process.wait(500) == 0
        assert process.stdout is not None
        assert "REFUSED" not in process.stdout.read()
    alone = tmp_path / "alone"
    report = tasks.alone(alone, tasks.declared(**DECLARED))
    tasks.assert_same(tmp_path, alone)
    assert report.steps == 2 * 38
    assert not any(map(tasks.alive, hosted.values()))
    assert not tasks.pids(tmp_path)


def test_more_tasks_than_slots_are_refused(
    master: tuple[str, Path], project: Path, tmp_path: Path
) -> None:
    topology = TOPOLOGY | {"workers": 3, "launcher": {"kind": "spark", "start_seconds": 10}}
    with driver(tmp_path, master[0], project, topology=topology) as process:
        said, _ = process.communicate(timeout=300)
    assert "REFUSED The training needs 3 tasks at once, but the Spark session has" in said
