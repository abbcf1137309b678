"""The base of every dataset that belongs to a run."""

from abc import abstractmethod
from pathlib import Path
from string import Formatter
from typing import Any, ClassVar, TypeVar

from kedro.io import AbstractDataset

from reclife.config.problems import hint
from reclife.contracts import STAGES, Stage
from reclife.errors import ConfigError
from reclife.runtime.files import write_atomically
from reclife.runtime.project import project_path
from reclife.runtime.run import current_run_id

Saved = TypeVar("Saved")
Loaded = TypeVar("Loaded")


class RunArtifact(AbstractDataset[Saved, Loaded]):
    """An artefact of one run, written by one stage under the run's own path.

    Args:
        path: Where it lies; `{run_id}` stands for the run.
        stage: The stage that writes it.
        publish: A path without a run that gets a copy (of a text file) once the stage has been
            validated.
        metadata: Passed through for kedro-viz.
    """

    recorded: ClassVar[bool] = True
    """Whether a completion record vouches for it."""

    def __init__(
        self,
        path: str,
        stage: Stage,
        publish: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        _check(path, stage)
        self.template = path
        self.stage = stage
        self.publish_to = Path(publish) if publish else None
        self.metadata = metadata

    @property
    def location(self) -> Path:
        """Where the current run writes the artefact."""
        return self.location_of(current_run_id())

    @property
    def source_run(self) -> str:
        """The run whose artefact is read: the current one."""
        return current_run_id()

    def location_of(self, run_id: str) -> Path:
        """Return where the artefact of `run_id` lies."""
        return project_path() / self.template.format(run_id=run_id)

    def publish(self) -> None:
        """Copy the artefact, now validated, to where it is looked for without a run's id."""
        if self.publish_to:
            write_atomically(
                project_path() / self.publish_to, self.location.read_text(encoding="utf-8")
            )

    @abstractmethod
    def load(self) -> Loaded:
        """Read the artefact of the current run."""

    @abstractmethod
    def save(self, data: Saved) -> None:
        """Write the artefact of the current run, replacing an earlier attempt."""

    def _describe(self) -> dict[str, Any]:
        return {"path": self.template, "stage": self.stage, "publish": str(self.publish_to)}

    def _exists(self) -> bool:
        return self.location.exists()


def _check(path: str, stage: str) -> None:
    """Check that the entry names a stage and gives every run a place of its own.

    Raises:
        ConfigError: It does not.
    """
    problems = []
    if stage not in STAGES:
        problems.append(f"unknown stage {stage!r}{hint(stage, STAGES)}")
    placeholders = {name for _, name, _, _ in Formatter().parse(path) if name is not None}
    if placeholders != {"run_id"}:
        problems.append(
            f"the path {path} must hold {{run_id}} and no other placeholder: "
            "every run writes to a place of its own"
        )
    if problems:
        raise ConfigError("; ".join(problems))
