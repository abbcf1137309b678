"""A training as a folder: what its tasks need, and what becomes of it."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import final

import pyarrow as pa

import reclife.errors
from reclife.config.training import TrainingConfig
from reclife.contracts import Contract, FeatureSpec, TrainingReport
from reclife.errors import EnvironmentProblem, ReclifeError, TrainingError
from reclife.training.launchers.cluster import Task

_POLL_SECONDS = 0.5


@final
class Description(Contract):
    """What is to be trained, for whom, and where its state is kept."""

    run_id: str
    config: TrainingConfig
    spec: FeatureSpec
    checkpoints: Path
    logs: Path
    start: Path | None = None
    """File of what the weights start from."""


@final
class Problem(Contract):
    """Why a task gave up: a `ReclifeError` by its class and message."""

    kind: str
    message: str


@final
@dataclass(frozen=True)
class Job:
    """The folder of one training, which every task sees.

    ::

        job.json            Description
        train.arrow         examples, read without a copy
        validation.arrow
        problems/<task>.json
        outcome/            the trained model and its report, whole or not there
        tasks/<task>.log
    """

    folder: Path

    @property
    def tasks(self) -> Path:
        """The folder of the tasks' logs."""
        return self.folder / "tasks"

    @property
    def model(self) -> Path:
        """The folder of the trained model."""
        return self.folder / "outcome" / "model"

    @property
    def report(self) -> Path:
        """The file of the training report."""
        return self.folder / "outcome" / "report.json"

    def clear(self) -> None:
        """Empty the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.tasks.mkdir(parents=True)

    def write(self, description: Description, train: pa.Table, validation: pa.Table) -> None:
        """Put the training into the folder; the description is there last."""
        for name, table in (("train", train), ("validation", validation)):
            path = str(self.folder / f"{name}.arrow")
            with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        self._describe(description)

    def write_beside(self, description: Description, other: "Job") -> None:
        """As `write`, with the examples of another training, which are not copied."""
        for name in ("train", "validation"):
            (self.folder / f"{name}.arrow").hardlink_to(other.folder / f"{name}.arrow")
        self._describe(description)

    def _describe(self, description: Description) -> None:
        writing = self.folder / ".job.json"
        writing.write_text(description.model_dump_json(), encoding="utf-8")
        writing.rename(self.folder / "job.json")

    def awaited(self, seconds: float) -> Description:
        """Return the description, once it is there.

        Raises:
            EnvironmentProblem: It is not there after so many seconds.
        """
        deadline = time.monotonic() + seconds
        path = self.folder / "job.json"
        while not path.exists():
            if time.monotonic() > deadline:
                raise EnvironmentProblem(
                    f"There is no training in {self.folder} after {seconds:g} seconds. The first "
                    "task of the cluster writes it there, by `kedro run --pipelines training`: "
                    "give all tasks one folder that they share."
                )
            time.sleep(_POLL_SECONDS)
        return Description.read(path)

    def table(self, name: str) -> pa.Table:
        """Return the examples `train` or `validation`, which stay on disk until they are read."""
        with pa.memory_map(str(self.folder / f"{name}.arrow")) as file:
            return pa.ipc.open_file(file).read_all()

    def finish(self, task: Task, error: ReclifeError) -> None:
        """Note why `task` gives up."""
        folder = self.folder / "problems"
        folder.mkdir(parents=True, exist_ok=True)
        problem = Problem(kind=type(error).__name__, message=str(error))
        (folder / f"{task}.json").write_text(problem.model_dump_json(), encoding="utf-8")

    def problem(self) -> ReclifeError | None:
        """Return what a task gave up for, the first task first."""
        for path in sorted((self.folder / "problems").glob("*.json")):
            found = Problem.read(path)
            kind = getattr(reclife.errors, found.kind, TrainingError)
            return kind(found.message)
        return None

    def close(self) -> TrainingReport:
        """Return the report of the finished training and drop the examples.

        Raises:
            TrainingError: Its tasks ended without an outcome.
        """
        if not self.report.exists():
            raise TrainingError(
                f"All tasks ended, but none left a model in {self.folder}: their logs are in "
                f"{self.tasks}. Run the stage again: it goes on from the last checkpoint."
            )
        for path in self.folder.glob("*.arrow"):
            path.unlink()
        return TrainingReport.read(self.report)
