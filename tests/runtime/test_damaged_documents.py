"""A pointer or record that was cut short is told by its path; it is never half believed."""

from pathlib import Path

import pytest

from reclife.contracts import CompletionRecord, Pointer
from reclife.errors import ArtifactError

WHOLE = Pointer(run_id="r1", path="data/x").model_dump_json()


def test_a_whole_document_is_read(tmp_path: Path) -> None:
    path = tmp_path / "current.json"
    path.write_text(WHOLE, encoding="utf-8")
    assert Pointer.read(path).run_id == "r1"


@pytest.mark.parametrize("content", [b"", WHOLE.encode()[:9], b"\x00" * 40, b"[]", b"\xff\xfe{}"])
def test_a_damaged_one_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "current.json"
    path.write_bytes(content)
    with pytest.raises(ArtifactError, match=r"current\.json is damaged"):
        Pointer.read(path)


def test_another_document_is_told_by_its_keys(tmp_path: Path) -> None:
    path = tmp_path / "features.json"
    path.write_text(WHOLE, encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"features\.json .*CompletionRecord"):
        CompletionRecord.read(path)
