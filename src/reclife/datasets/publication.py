"""Publishes validated recommendations: a day's folder holds one complete set at any time."""

import shutil
from pathlib import Path

from reclife.contracts import Pointer
from reclife.errors import ArtifactError
from reclife.runtime.files import files_under, write_atomically
from reclife.runtime.project import project_path

POINTER = "current.json"


def publish(staged: Path, root: Path, date: str, run_id: str) -> Path:
    """Copy the staged Parquet files beside `root/date=<date>`, swap them in, then move the pointer.

    A set that is being written lies in a hidden folder. The old set of the same day is set aside
    until the new one is in place, and comes back when that fails. `root/current.json` names the
    newest set; it is written last.

    Args:
        staged: The validated table, a folder of Parquet files.
        root: The folder of all days, inside the project.
        date: The day, `YYYY-MM-DD`.
        run_id: The run that scored.

    Returns:
        The published folder.

    Raises:
        ArtifactError: There is nothing to publish.
    """
    files = files_under(staged) if staged.is_dir() else []
    if not files:
        raise ArtifactError(f"{staged} holds no recommendations to publish; run scoring again.")
    target = root / f"date={date}"
    incoming, outgoing = root / f".incoming-{run_id}", root / f".outgoing-{run_id}"
    for folder in (incoming, outgoing):
        shutil.rmtree(folder, ignore_errors=True)
    incoming.mkdir(parents=True)
    for file in files:
        shutil.copyfile(file, incoming / file.name)
    _swap(incoming, target, outgoing)
    pointer = Pointer(run_id=run_id, path=target.relative_to(project_path()).as_posix())
    write_atomically(root / POINTER, pointer.model_dump_json(indent=2) + "\n")
    return target


def _swap(incoming: Path, target: Path, outgoing: Path) -> None:
    replaces = target.exists()
    if replaces:
        target.rename(outgoing)
    try:
        incoming.rename(target)
    except OSError:
        if replaces:
            outgoing.rename(target)
        raise
    shutil.rmtree(outgoing, ignore_errors=True)
