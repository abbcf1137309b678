"""Checkpoints that are whole or not there, and know what they belong to."""

import hashlib
import logging
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from reclife.contracts import Contract, EpochRow
from reclife.errors import TrainingError

Array = NDArray[Any]
Phase = Literal["fit", "refit"]

_LOG = logging.getLogger(__name__)
_ARRAYS, _DESCRIPTION, _PREFIX = "state.npz", "checkpoint.json", "step-"


@final
class Progress(Contract):
    """Where training is: `step` steps done in all, `batch` of them in the current `epoch`.

    `loss_sum`, `norm_sum`, `epoch_seconds` and `waiting_seconds` run over the current epoch;
    `repeated` are the steps so far that were done more than once.
    """

    phase: Phase = "fit"
    epoch: int = 1
    batch: int = 0
    step: int = 0
    loss_sum: float = 0.0
    norm_sum: float = 0.0
    epoch_seconds: float = 0.0
    waiting_seconds: float = 0.0
    epochs: tuple[EpochRow, ...] = ()
    repeated: tuple[int, ...] = ()

    def moved(self, **changes: object) -> "Progress":
        """Return this progress with some fields changed."""
        return self.model_copy(update=changes)


@final
class Description(Contract):
    """What `state.npz` is: its content's hash and how far training had come."""

    sha256: str
    progress: Progress


class Checkpoint(NamedTuple):
    """The arrays of a saved state and how far it had come."""

    arrays: dict[str, Array]
    progress: Progress


@final
class Checkpoints:
    """The newest checkpoints of one training, in a place of its own below `folder`.

    `identity` is a hash over everything that decides the weights (declaration and data): what
    another declaration or other data left behind is never resumed.
    """

    def __init__(self, folder: Path, identity: str, keep: int) -> None:
        self._folder = folder / identity[:16]
        self._keep = keep

    def save(self, arrays: Mapping[str, Array], progress: Progress) -> None:
        """Write a checkpoint beside the others, then name it, then drop the oldest.

        Raises:
            TrainingError: There is no room for it.
        """
        name = f"{_PREFIX}{progress.step:010d}"
        writing, target = self._folder / f".writing-{name}", self._folder / name
        try:
            _write(writing, arrays, progress)
        except OSError as error:
            shutil.rmtree(writing, ignore_errors=True)
            kept = self._names()
            before = f"step {int(kept[-1].name[len(_PREFIX) :])}" if kept else "the beginning"
            raise TrainingError(
                f"The checkpoint of step {progress.step} cannot be written to {self._folder}: "
                f"{error.strerror}. Make room, then run the stage again: it goes on from {before}."
            ) from error
        shutil.rmtree(target, ignore_errors=True)
        writing.rename(target)
        for old in self._names()[: -self._keep]:
            shutil.rmtree(old)

    def latest(self) -> Checkpoint | None:
        """Return the newest whole checkpoint, or None."""
        for folder in reversed(self._names()):
            found = self._read(folder)
            if found is not None:
                return found
        return None

    def _read(self, folder: Path) -> Checkpoint | None:
        try:
            description = Description.read(folder / _DESCRIPTION)
            whole = description.sha256 == _sha256(folder / _ARRAYS)
        except (OSError, ValueError):
            whole = False
        if not whole:
            _LOG.warning("Checkpoint %s is damaged; an older one is used.", folder)
            return None
        with np.load(folder / _ARRAYS, allow_pickle=False) as arrays:
            return Checkpoint({name: arrays[name] for name in arrays.files}, description.progress)

    def _names(self) -> list[Path]:
        return sorted(self._folder.glob(f"{_PREFIX}*"))


def _write(folder: Path, arrays: Mapping[str, Array], progress: Progress) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    np.savez(folder / _ARRAYS, allow_pickle=False, **dict(arrays))
    description = Description(sha256=_sha256(folder / _ARRAYS), progress=progress)
    (folder / _DESCRIPTION).write_text(description.model_dump_json(), encoding="utf-8")
    for file in folder.iterdir():
        _flush(file)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
