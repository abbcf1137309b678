"""Run identity: one id per lifecycle run, on every artefact."""

import hashlib
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from reclife.contracts import STAGES, Pointer, RunInfo
from reclife.errors import ArtifactError
from reclife.runtime.files import write_atomically
from reclife.runtime.project import project_path

RUN_VARIABLE = "RECLIFE_RUN_ID"
"""Environment variable by which a scheduler hands over its own run id."""


_FILE_NAME = re.compile(r"\w(?:[\w.-]{0,118}\w)?", re.ASCII)
_POINTER = "current.json"


def runs_folder() -> Path:
    """Return the folder that holds one folder per run: its records and reports."""
    return project_path() / "data" / "08_reporting" / "runs"


def run_folder(run_id: str) -> Path:
    """Return the folder of one run's records and reports."""
    return runs_folder() / run_id


def new_run_id() -> str:
    """Return a fresh id that sorts by time and names no other run."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{uuid4().hex[:6]}"


def safe_run_id(text: str) -> str:
    """Return `text` where it can be a file name as it is, else a name that no other text gets."""
    if _FILE_NAME.fullmatch(text) and text != _POINTER:
        return text
    clean = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:100]
    return f"{clean or 'run'}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def run_in_progress() -> bool:
    """Tell whether this process, or the scheduler above it, is in the middle of a run."""
    return bool(os.environ.get(RUN_VARIABLE, "").strip())


def current_run_id() -> str:
    """Return the id of the run in progress, else of the newest run that finished a stage.

    Raises:
        ArtifactError: There is no run yet.
    """
    declared = os.environ.get(RUN_VARIABLE, "").strip()
    if declared:
        return safe_run_id(declared)
    pointer = runs_folder() / _POINTER
    if not pointer.exists():
        raise ArtifactError(
            "There is no run to continue: start one with `kedro run` or `make run`."
        )
    return Pointer.read(pointer).run_id


def set_current_run(run_id: str) -> None:
    """Make `run_id` the run that a stage run on its own continues."""
    folder = run_folder(run_id)
    pointer = Pointer(run_id=run_id, path=folder.relative_to(project_path()).as_posix())
    write_atomically(runs_folder() / _POINTER, pointer.model_dump_json(indent=2))


def choose_run_id(pipeline_names: Sequence[str]) -> str:
    """Return the id for a run of these pipelines.

    A scheduler's id counts first. A run that starts with `ingest`, or a whole lifecycle, is a new
    run; later stages on their own continue the current one.
    """
    if run_in_progress():
        return current_run_id()
    names = pipeline_names or ["__default__"]
    continues = all(name in STAGES for name in names) and "ingest" not in names
    return current_run_id() if continues else new_run_id()


def begin_run(run_id: str, lifecycle: str, env: str | None) -> None:
    """Note what a run sets out to do, so that it can be resumed."""
    info = RunInfo(
        run_id=run_id,
        lifecycle=lifecycle,
        env=env,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    write_atomically(run_folder(run_id) / "run.json", info.model_dump_json(indent=2) + "\n")


def run_info(run_id: str) -> RunInfo:
    """Return what the run set out to do.

    Raises:
        ArtifactError: The run was not started as a lifecycle.
    """
    path = run_folder(run_id) / "run.json"
    if not path.exists():
        raise ArtifactError(f"Run {run_id} was not started as a lifecycle: run its stages by name.")
    return RunInfo.read(path)
