"""Every kind of model is moved alike by one process, by copies of it and by parameter servers."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.models import zoo
from tests.training import toy

from reclife.config.topology import ParameterServerConfig
from reclife.config.training import TrainingConfig
from reclife.models import build
from reclife.training.examples import Examples
from reclife.training.learnable import learnt_by
from reclife.training.parameter_server.coordination import Connected
from reclife.training.parameter_server.trainer import asynchronous
from reclife.training.replicas import Alone, Replicas
from reclife.training.synchronous import synchronous
from reclife.training.trainer import Rates, Trainer, Work

KINDS = sorted(zoo.DECLARED)
STILL = {"dropout": 0.0}
TOWER = {"hidden_units": [4], **STILL}
PARTS: dict[str, dict[str, object]] = {
    "logistic_regression": {},
    "fm": {},
    "autoint": {},
    "custom": {},
    "blocks": {},
    "shared_bottom": {"bottom": TOWER, "tower": TOWER},
    "mmoe": {"expert": TOWER, "tower": TOWER},
    "ple": {"expert": TOWER, "tower": TOWER},
    "esmm": {"tower": TOWER},
}
"""What leaves nothing to chance within a step, by kind; a perceptron's dropout where none is."""
ROWS, STEPS = 96, 3


def declared(kind: str) -> TrainingConfig:
    more = zoo.DECLARED[kind] | PARTS.get(kind, STILL)
    if kind == "blocks":
        graph: Any = zoo.DECLARED[kind]["blocks"]
        still = {n: b | (STILL if b["kind"] == "perceptron" else {}) for n, b in graph.items()}
        more = more | {"blocks": still}
    # Adam would make steps of full size from rounding errors before a normalisation.
    optimizer = {"kind": "adagrad", "learning_rate": 0.05}
    return toy.config(model={"kind": kind, **more}, dense_optimizer=optimizer, batch_size=32)


def moved(trainer: Trainer, config: TrainingConfig) -> dict[str, np.ndarray]:
    """Return the state of `trainer` after some steps."""
    users = pa.array([row % 5 for row in range(ROWS)])
    table = zoo.table(ROWS, seed=1).append_column("user_id", users)
    model = trainer.model
    spec = learnt_by(model, zoo.SPEC)
    examples = Examples.from_table(table, model.features, spec, config.objective)

    def work() -> Any:
        for i in range(STEPS):
            batch = trainer.prepare(examples, np.arange(32) + 32 * i)
            yield Work(i, batch, Rates(0.05, 0.01, i + 1), i + 1, watch=False)

    assert len(list(trainer.steps(work()))) == STEPS
    return trainer.state()


def by_copies(kind: str, replicas: Replicas) -> dict[str, np.ndarray]:
    """Return what `replicas` make of a model of this `kind`."""
    config = declared(kind)
    spec = learnt_by(build(config.model, zoo.SPEC, seed=3), zoo.SPEC)
    return moved(synchronous(replicas)(config, spec, 3), config)


def differences(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> float:
    """Return the largest difference of two states of the same names, beyond rounding."""
    assert one.keys() == other.keys()
    return max(
        float(np.max(np.abs(value - other[name]) - 1e-3 * np.abs(value), initial=0.0))
        for name, value in one.items()
    )


class Here:
    """Does a unit of work when it is handed out."""

    def schedule(self, unit: Any, args: tuple[Any, ...]) -> "Here":
        self.value = unit(*args)
        return self

    def fetch(self) -> Any:
        return self.value.numpy()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_two_servers_and_a_worker_move_it_as_one_process_does(kind: str, tmp_path: Path) -> None:
    config = declared(kind)
    spec = learnt_by(build(config.model, zoo.SPEC, seed=3), zoo.SPEC)
    cluster = Connected(Here(), 1, ("/device:CPU:0",) * 2)
    topology = ParameterServerConfig(workers=1, servers=2)
    trainer = asynchronous(cluster, topology, tmp_path)(config, spec, 3)
    assert differences(by_copies(kind, Alone()), moved(trainer, config)) < 1e-5


@pytest.mark.slow
def test_two_copies_move_every_kind_as_one_does(project: Path) -> None:
    script = (
        "import json\n"
        "from reclife.config.topology import MirroredConfig\n"
        "from reclife.training.distributed import mirrored\n"
        "two = mirrored(MirroredConfig(devices=2))\n"
        "from tests.training.test_topologies import KINDS, Alone, by_copies, differences\n"
        "def found(kind):\n"
        "    return differences(by_copies(kind, Alone()), by_copies(kind, two))\n"
        "print(json.dumps({kind: found(kind) for kind in KINDS}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert set(found) == set(KINDS)
    assert {kind: value for kind, value in found.items() if value > 1e-5} == {}
