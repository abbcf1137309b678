"""A checkpoint is whole or not there."""

from pathlib import Path

import numpy as np

from reclife.training.checkpoints import Checkpoints, Progress


def save(checkpoints: Checkpoints, step: int) -> None:
    checkpoints.save({"a/b": np.full(3, step)}, Progress(step=step, loss_sum=0.1 * step))


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*/*"))


def test_the_newest_comes_back_and_old_ones_go(tmp_path):
    checkpoints = Checkpoints(tmp_path, "one", keep=2)
    assert checkpoints.latest() is None
    for step in (1, 20, 3):
        save(checkpoints, step)
    found = checkpoints.latest()
    assert found is not None
    assert found.progress == Progress(step=20, loss_sum=2.0)
    assert found.arrays["a/b"].tolist() == [20, 20, 20]
    assert files(tmp_path) == ["step-0000000003", "step-0000000020"]


def test_a_file_cut_in_half_gives_way_to_the_one_before(tmp_path):
    checkpoints = Checkpoints(tmp_path, "one", keep=3)
    for step in (1, 2, 3):
        save(checkpoints, step)
    newest = next(tmp_path.glob("*/step-0000000003/state.npz"))
    newest.write_bytes(newest.read_bytes()[:100])
    next(tmp_path.glob("*/step-0000000002/checkpoint.json")).unlink()
    found = checkpoints.latest()
    assert found is not None
    assert found.progress.step == 1


def test_what_was_being_written_is_not_read(tmp_path):
    checkpoints = Checkpoints(tmp_path, "one", keep=2)
    save(checkpoints, 1)
    whole = next(tmp_path.glob("*/step-*"))
    whole.rename(whole.with_name(".writing-" + whole.name))
    assert checkpoints.latest() is None


def test_another_training_is_not_resumed(tmp_path):
    save(Checkpoints(tmp_path, "one", keep=2), 1)
    assert Checkpoints(tmp_path, "two", keep=2).latest() is None
