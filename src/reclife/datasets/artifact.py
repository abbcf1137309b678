"""The base of every dataset that belongs to a run."""

from abc import abstractmethod
from pathlib import Path
from typing import Any, TypeVar

from kedro.io import AbstractDataset

from reclife.contracts import Stage
from reclife.runtime.run import current_run_id

Saved = TypeVar("Saved")
Loaded = TypeVar("Loaded")


class RunArtifact(AbstractDataset[Saved, Loaded]):
    """An artefact of one run, written by one stage under the run's own path.

    Args:
        path: Where it lies; `{run_id}` stands for the run.
        stage: The stage that writes it.
        publish: A path without a run that gets a copy once the stage has been validated.
        metadata: Passed through for kedro-viz.
    """

    def __init__(
        self,
        path: str,
        stage: Stage,
        publish: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        self.template = path
        self.stage = stage
        self.published = publish
        self.metadata = metadata

    @property
    def location(self) -> Path:
        """Where the artefact of the current run lies."""
        return Path(self.template.format(run_id=current_run_id()))

    @abstractmethod
    def load(self) -> Loaded:
        """Read the artefact of the current run."""

    @abstractmethod
    def save(self, data: Saved) -> None:
        """Write the artefact of the current run, replacing an earlier attempt."""

    def _describe(self) -> dict[str, Any]:
        return {"path": self.template, "stage": self.stage, "publish": self.published}

    def _exists(self) -> bool:
        return self.location.exists()
