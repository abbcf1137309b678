"""Trainings of the toy by real clusters, and the processes they consist of."""

import json
import os
import time
from collections.abc import Callable, Set
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tests.training import toy

from reclife.config.training import TrainingConfig
from reclife.contracts import TrainingReport
from reclife.models.saved import save_model
from reclife.training.launchers.launch import launch
from reclife.training.train import train

DATA = toy.table(601, seed=1), toy.table(201, seed=2)

DECLARED: dict[str, object] = {
    "model": {
        "kind": "deepfm",
        "hidden_units": [8, 4],
        "dropout": 0.0,
        "normalization": "batch",
        "embedding_l2": 0.1,
        "dense_l2": 0.01,
    },
    # Adam would make steps of full size from the rounding errors of biases before a normalisation.
    "dense_optimizer": {"kind": "adagrad", "learning_rate": 0.05},
    "clipping": {"kind": "global_norm", "limit": 0.3},
}
"""What every part of a step has a say in; nothing of it is drawn at random in a step."""


def declared(**changes: object) -> TrainingConfig:
    return toy.config(**{**DECLARED, **changes})


def alone(root: Path, config: TrainingConfig) -> TrainingReport:
    """Train in this process and save into `root / "model"`."""
    trained = train(config, toy.SPEC, *DATA, run_id="r", **toy.folders(root))
    save_model(trained.model, config.model, toy.SPEC, root / "model")
    return trained.report


def together(root: Path, config: TrainingConfig) -> TrainingReport:
    """Train by a cluster and save into `root / "model"`."""
    write, report = launch(config, toy.SPEC, *DATA, run_id="r", **toy.folders(root))
    write(root / "model")
    return report


def weights(root: Path) -> dict[str, np.ndarray]:
    with np.load(root / "model" / "weights.npz") as found:
        return {name: found[name] for name in found.files}


def assert_same(root: Path, other: Path) -> None:
    """Every weight is the same but for rounding: 1e-5 of the largest of its variable, or of 0.01.

    Biases before a normalisation hold rounding errors and nothing else.
    """
    expected = weights(other)
    for name, value in weights(root).items():
        scale = max(np.abs(expected[name]).max(), 0.01)
        np.testing.assert_allclose(value / scale, expected[name] / scale, atol=1e-5, err_msg=name)


def pids(folder: Path) -> dict[str, int]:
    """Return the process of each task that works on `folder`, by the task's name."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode().split("\0")
            if "reclife.training.task" not in command or str(folder) not in " ".join(command):
                continue
            environment = (process / "environ").read_bytes().decode(errors="replace").split("\0")
        except (OSError, UnicodeDecodeError):
            continue
        config = next((e for e in environment if e.startswith("TF_CONFIG=")), "")
        found[_name(config)] = int(process.name)
    return found


def started(folder: Path, count: int, before: Set[int]) -> dict[str, int]:
    """Return the processes that were not there `before`, once there are `count`."""
    found = {name: pid for name, pid in pids(folder).items() if pid not in before}
    return found if len(found) == count else {}


def _name(config: str) -> str:
    task = json.loads(config.partition("=")[2])["task"]
    return f"{task['type']}-{task['index']}"


def steps_saved(root: Path) -> list[int]:
    return sorted(int(path.name[5:]) for path in root.glob("checkpoints/*/step-*"))


def saved(root: Path, step: int) -> bool:
    return max(steps_saved(root), default=0) >= step


def during(act: Callable[[], None]) -> Future[None]:
    """Do `act` beside what follows; `result` raises what went wrong in it."""
    thread = ThreadPoolExecutor(1)
    done = thread.submit(act)
    thread.shutdown(wait=False)
    return done


def goes_on(root: Path, every: int) -> None:
    """Return once a step is done after this call, which takes 120 seconds at most.

    A checkpoint is written after each of `every` steps; one may be under way.
    """
    wait_for(partial(saved, root, max(steps_saved(root), default=0) + every + 1), 120)


def wait_for(condition: Callable[[], Any], seconds: float) -> Any:
    """Return the first true value of `condition`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} seconds in vain")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
