"""The days of an incremental ingest: written by a run, taken over by the next one."""

from pathlib import Path
from typing import NamedTuple, final

from reclife.contracts import IngestedDays, Pointer
from reclife.datasets.artifact import RunArtifact
from reclife.datasets.folder import Writer, refill
from reclife.datasets.read_only import ReadOnly
from reclife.errors import ArtifactError
from reclife.runtime.files import write_atomically
from reclife.runtime.project import project_path
from reclife.runtime.records import find_record, vouched
from reclife.runtime.run import current_run_id

DAYS = "days.json"
DATASET = "ingested_days"


class EarlierDays(NamedTuple):
    """What an incremental ingest starts from.

    Attributes:
        run_id: The run whose days may be taken over; None for no run.
        folder: Where they lie.
        expected: Days that must not be lost.
    """

    run_id: str | None
    folder: Path | None
    expected: frozenset[str]

    def read(self) -> IngestedDays | None:
        """Check that the days are those that the run recorded, and return what they are.

        Raises:
            ArtifactError: They are not; only a user can say whether to read all days again.
        """
        if self.run_id is None or self.folder is None:
            return None
        vouched(self.run_id, "ingest", DATASET, self.folder)
        return IngestedDays.read(self.folder / DAYS)


@final
class DayFolder(RunArtifact[Writer, Path]):
    """A folder of rows as read, one folder a day; empty where ingest reads everything.

    `publish` names the pointer file to the newest one.
    """

    def load(self) -> Path:
        """Return the folder's path."""
        if not self.location.is_dir():
            raise ArtifactError(f"{self.location} does not exist; run stage {self.stage} first.")
        return self.location

    def save(self, data: Writer) -> None:
        """Empty the folder, then let `data` write into it."""
        refill(self.location, data)

    def publish(self) -> None:
        """Let the next run start from these days."""
        if self.publish_to is None or not (self.location / DAYS).exists():
            return
        path = self.location.relative_to(project_path()).as_posix()
        pointer = Pointer(run_id=current_run_id(), path=path)
        write_atomically(project_path() / self.publish_to, pointer.model_dump_json(indent=2) + "\n")


@final
class NewestDays(ReadOnly[EarlierDays]):
    """What the pointer file names; nothing before the first incremental ingest.

    A run that is repeated does not start from itself but from where it started before.

    Args:
        pointer: The pointer file, from the project's folder.
    """

    def __init__(self, pointer: str) -> None:
        self._pointer = pointer

    def load(self) -> EarlierDays:
        """Return the days to start from."""
        path = project_path() / self._pointer
        if not path.exists():
            return EarlierDays(None, None, frozenset())
        pointer = Pointer.read(path)
        path = project_path() / pointer.path / DAYS
        if not path.exists():
            raise ArtifactError(
                f"{path} is missing, though {self._pointer} names it: put it back, or delete "
                f"{self._pointer} to read all days again."
            )
        newest = IngestedDays.read(path)
        expected = frozenset(newest.fingerprints)
        if pointer.run_id != current_run_id():
            return EarlierDays(pointer.run_id, project_path() / pointer.path, expected)
        record = find_record(newest.base, "ingest") if newest.base else None
        if record is None:
            return EarlierDays(None, None, expected)
        return EarlierDays(newest.base, project_path() / record.outputs[DATASET].path, expected)

    def _describe(self) -> dict[str, str]:
        return {"pointer": self._pointer}
