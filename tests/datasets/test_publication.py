"""A day's folder holds one complete set at any time, and the pointer follows it."""

from pathlib import Path

import pytest

from reclife.contracts import Pointer
from reclife.datasets.publication import publish
from reclife.errors import ArtifactError


@pytest.fixture(autouse=True)
def project_in(tmp_path, monkeypatch):
    monkeypatch.setenv("RECLIFE_PROJECT", str(tmp_path))


def staged(folder: Path, *contents: str) -> Path:
    folder.mkdir()
    for i, text in enumerate(contents):
        (folder / f"part-{i:05d}.parquet").write_text(text)
    (folder / "_SUCCESS").touch()
    return folder


def content(folder: Path) -> list[str]:
    return sorted(file.read_text() for file in folder.iterdir())


def test_publishing_twice_replaces_the_whole_set(tmp_path):
    root = tmp_path / "recommendations"
    first = publish(staged(tmp_path / "a", "1", "2", "3"), root, "2020-01-02", "run-a")
    assert first == root / "date=2020-01-02"
    assert content(first) == ["1", "2", "3"]
    publish(staged(tmp_path / "b", "4"), root, "2020-01-02", "run-b")
    assert content(first) == ["4"]
    assert Pointer.read(root / "current.json") == Pointer(
        run_id="run-b", path="recommendations/date=2020-01-02"
    )
    assert {p.name for p in root.iterdir()} == {"date=2020-01-02", "current.json"}


def test_days_stand_side_by_side(tmp_path):
    root = tmp_path / "recommendations"
    publish(staged(tmp_path / "a", "1"), root, "2020-01-01", "run-a")
    publish(staged(tmp_path / "b", "2"), root, "2020-01-02", "run-b")
    assert content(root / "date=2020-01-01") == ["1"]
    assert Pointer.read(root / "current.json").path == "recommendations/date=2020-01-02"


def test_a_failed_swap_leaves_the_old_set_and_pointer(tmp_path, monkeypatch):
    root = tmp_path / "recommendations"
    target = publish(staged(tmp_path / "a", "old"), root, "2020-01-02", "run-a")
    rename = Path.rename

    def fails(self: Path, other: Path) -> Path:
        if self.name.startswith(".incoming"):
            raise OSError("disk")
        return rename(self, other)

    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(OSError, match="disk"):
        publish(staged(tmp_path / "b", "new"), root, "2020-01-02", "run-b")
    assert content(target) == ["old"]
    assert Pointer.read(root / "current.json").run_id == "run-a"


def test_nothing_staged_is_refused(tmp_path):
    with pytest.raises(ArtifactError, match="no recommendations"):
        publish(tmp_path / "missing", tmp_path / "root", "2020-01-01", "run")
