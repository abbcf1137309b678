"""From a declared cluster to a trained model."""

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import pyarrow as pa

from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec
from reclife.training.launchers.env import Environment
from reclife.training.launchers.job import Description, Job
from reclife.training.launchers.processes import Processes
from reclife.training.launchers.roles import Roles, launcher, roles
from reclife.training.launchers.spark import Spark
from reclife.training.outcome import Outcome
from reclife.training.warm_start import Start


class Launcher(Protocol):
    """What runs the tasks of a job."""

    def run(self, job: Job, roles: Roles) -> None:
        """Return once the training in `job` is done."""


def launch(
    config: TrainingConfig,
    spec: FeatureSpec,
    train: pa.Table,
    validation: pa.Table,
    *,
    run_id: str,
    checkpoints: Path,
    logs: Path,
    start: Start | None = None,
) -> Outcome:
    """Train the declared model by a cluster; the arguments are those of `train`.

    Raises:
        ReclifeError: A task gave up, or crashed once too often.
    """
    declared = launcher(config.topology)
    folder = getattr(declared, "folder", None)
    job = Job((Path(folder) if folder else checkpoints / "job").absolute())
    begun = (job.folder / "start.npz").absolute()
    described = Description(
        run_id=run_id,
        config=config,
        spec=spec,
        checkpoints=checkpoints.absolute(),
        logs=logs.absolute(),
        start=None if start is None else begun,
    )
    job.clear()
    if start is not None:
        start.save(begun)
    job.write(described, train, validation)
    LAUNCHERS[declared.kind](declared).run(job, roles(config.topology))
    return Outcome(partial(_copy, job.model), job.close())


def _copy(model: Path, target: Path) -> None:
    shutil.copytree(model, target, dirs_exist_ok=True)


LAUNCHERS: Mapping[str, Callable[[Any], Launcher]] = MappingProxyType(
    {"processes": Processes, "spark": Spark, "env": Environment}
)
