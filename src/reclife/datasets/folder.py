"""A folder of files: a model, a fitted state, a bundle."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import final

from reclife.datasets.artifact import RunArtifact
from reclife.errors import ArtifactError

Writer = Callable[[Path], None]


def refill(folder: Path, write: Writer) -> None:
    """Empty `folder`, so that nothing of an earlier attempt stays, then let `write` fill it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write(folder)


@final
class Folder(RunArtifact[Writer, Path]):
    """A folder of the run: saved by a function that writes into it, loaded as its path."""

    def load(self) -> Path:
        """Return the folder's path."""
        if not self.location.is_dir():
            raise ArtifactError(f"{self.location} does not exist; run stage {self.stage} first.")
        return self.location

    def save(self, data: Writer) -> None:
        """Empty the folder, then let `data` write into it."""
        refill(self.location, data)


@final
class Workspace(RunArtifact[None, Path]):
    """A folder that survives a restart of the same run: checkpoints, logs."""

    recorded = False

    def load(self) -> Path:
        """Return the folder's path, made when it is not there."""
        self.location.mkdir(parents=True, exist_ok=True)
        return self.location

    def save(self, data: None) -> None:  # noqa: ARG002 - the signature is Kedro's
        """Refuse: a workspace is written by the stage as it goes."""
        raise ArtifactError(f"{self.location} is a workspace and cannot be a node's output.")
