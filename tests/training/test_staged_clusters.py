"""Three stages, each in another topology and precision, by real processes, one of them killed."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.training.launchers import tasks

from reclife.contracts import TrainingReport
from reclife.models.saved import read_weights

pytestmark = pytest.mark.slow

PROCESSES = {"kind": "processes", "start_seconds": 300}
STAGES = [
    {
        "name": "embeddings",
        "trainable": ["table/*"],
        "epochs": 1,
        "topology": {
            "kind": "parameter_server",
            "workers": 1,
            "servers": 1,
            "launcher": PROCESSES,
        },
    },
    {
        "name": "all",
        "precision": {"kind": "bfloat16"},
        "topology": {"kind": "multi_worker", "workers": 2, "launcher": PROCESSES},
    },
    {"name": "calibration", "trainable": ["dense/bias/*"], "epochs": 1},
]
DECLARED = {
    "model": {"kind": "deepfm", "hidden_units": [8], "dropout": 0.0},
    "batch_size": 16,
    "epochs": 2,
    "early_stopping": None,
    "refit": False,
    "checkpoint": {"every_steps": 4},
    "probe": {"force": True},
    "stages": STAGES,
}
EPOCH = 38  # steps over 601 rows
DRIVER = """
import json, sys
from pathlib import Path
from tests.training import toy
from tests.training.launchers import tasks
from reclife.training.run import run
root = Path(sys.argv[1])
config = toy.config(**json.loads(sys.argv[2]))
outcome = run(config, toy.SPEC, *tasks.DATA, run_id="r", **toy.folders(root))
(root / "report.json").write_text(outcome.report.model_dump_json())
"""


def driver(root: Path, project: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(root), json.dumps(DECLARED)],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(project)},
    )


def stage(root: Path, number: int) -> Path:
    return root / "checkpoints" / "stages" / f"{number}-{STAGES[number]['name']}"


def saved(root: Path, step: int) -> bool:
    found = (stage(root, 1) / "checkpoints").glob("*/step-*")
    return max((int(path.name[5:]) for path in found), default=0) >= step


def test_killed_in_the_second_stage_it_goes_on_there(project: Path, tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    with driver(killed, project) as process:
        tasks.wait_for(partial(saved, killed, 12), 300)
        process.kill()
    tasks.wait_for(lambda: not tasks.pids(killed), 60)
    first = (stage(killed, 0) / "stage.json").read_bytes()
    shutil.copytree(stage(killed, 0), stage(whole, 0))
    with driver(killed, project) as process:
        assert process.wait(300) == 0
    said = (stage(killed, 1) / "checkpoints/job/tasks/worker-0.log").read_text(encoding="utf-8")
    assert "Training goes on after step" in said
    assert (stage(killed, 0) / "stage.json").read_bytes() == first
    with driver(whole, project) as process:
        assert process.wait(300) == 0
    report, expected = (TrainingReport.read(root / "report.json") for root in (killed, whole))
    assert [row.steps for row in report.stages] == [EPOCH, 2 * EPOCH, EPOCH]
    assert [row.topology for row in report.stages] == ["parameter_server", "multi_worker", "local"]
    assert [row.precision for row in report.stages] == ["float32", "bfloat16", "float32"]
    assert [row.loss for row in report.epochs] == [row.loss for row in expected.epochs]
    for number in (1, 2):
        one, two = (read_weights(stage(root, number) / "model")[0] for root in (killed, whole))
        for name, array in two.items():
            np.testing.assert_array_equal(one[name], array, err_msg=name)
