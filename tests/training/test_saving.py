"""Checkpoints within an epoch: by steps, by time, and what happens without room."""

import errno
from pathlib import Path

import numpy as np
import pytest

from reclife.config.training import CheckpointConfig
from reclife.errors import TrainingError
from reclife.training import checkpoints as module
from reclife.training.checkpoints import Checkpoints, Progress
from reclife.training.saving import Saving


def test_by_steps():
    saving = Saving(CheckpointConfig(every_steps=4, every_minutes=None))
    assert [step for step in range(1, 13) if saving.due(step)] == [4, 8, 12]


def test_by_time_since_the_last_one():
    now = 0.0
    saving = Saving(CheckpointConfig(every_minutes=2), clock=lambda: now)
    now = 119.0
    assert not saving.due(1)
    now = 120.0
    assert saving.due(2)
    saving.done()
    assert not saving.due(3)
    now = 240.0
    assert saving.due(4)


def test_neither_is_only_at_the_end_of_an_epoch():
    saving = Saving(CheckpointConfig(every_minutes=None), clock=lambda: 1e9)
    assert not any(saving.due(step) for step in range(100))


def test_a_full_disk_is_named_and_the_checkpoint_before_stays(tmp_path: Path, monkeypatch):
    checkpoints = Checkpoints(tmp_path, "one", keep=2)
    checkpoints.save({"a": np.zeros(3)}, Progress(step=4))

    def full(folder: Path, *arguments: object) -> None:
        folder.mkdir(parents=True)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "_write", full)
    with pytest.raises(TrainingError, match=r"step 8.*No space left.*goes on from step 4\."):
        checkpoints.save({"a": np.ones(3)}, Progress(step=8))
    assert [path.name for path in tmp_path.glob("*/*")] == ["step-0000000004"]
