"""The bundle: written by `export`, read from the run itself or else the current one."""

from pathlib import Path
from typing import final

from reclife.contracts import Pointer
from reclife.datasets.artifact import RunArtifact
from reclife.datasets.bundle import MANIFEST
from reclife.datasets.folder import Writer, refill
from reclife.errors import ArtifactError
from reclife.runtime.files import write_atomically
from reclife.runtime.project import project_path
from reclife.runtime.run import current_run_id


@final
class BundleFolder(RunArtifact[Writer, Path]):
    """A folder that is a bundle; `publish` names the pointer file to the current one."""

    @property
    def source_run(self) -> str:
        """The current run, once it has written a whole bundle; else the current bundle's run."""
        whole = (self.location / MANIFEST).exists()
        return current_run_id() if whole else self._pointer().run_id

    def load(self) -> Path:
        """Return the bundle's path."""
        return self.location_of(self.source_run)

    def save(self, data: Writer) -> None:
        """Empty the run's bundle folder, then let `data` write into it."""
        refill(self.location, data)

    def publish(self) -> None:
        """Make this run's bundle the current one."""
        path = self.location.relative_to(project_path()).as_posix()
        pointer = Pointer(run_id=current_run_id(), path=path)
        write_atomically(self._pointer_path, pointer.model_dump_json(indent=2) + "\n")

    @property
    def _pointer_path(self) -> Path:
        if self.publish_to is None:
            raise ArtifactError(f"{self.template}: the catalog entry names no pointer (`publish`).")
        return project_path() / self.publish_to

    def _pointer(self) -> Pointer:
        if not self._pointer_path.exists():
            raise ArtifactError(
                f"There is no bundle to score with ({self.publish_to} does not exist): "
                "run a lifecycle with the stage export first, for instance `kedro run`."
            )
        return Pointer.read(self._pointer_path)
