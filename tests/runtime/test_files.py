"""What counts as the content of a Parquet file."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reclife.runtime.files import sha256_of

LISTED, OTHERWISE = b"\x19\x35\x00\x06\x10", b"\x19\x35\x06\x00\x10"
"""A list of three encodings in the footer: PLAIN, RLE, RLE_DICTIONARY; and in another order."""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """One written table."""
    path = tmp_path / "table" / "part-00000-a.parquet"
    path.parent.mkdir()
    pq.write_table(pa.table({"x": [1, 1, 2], "y": ["a", "b", "b"]}), path)
    return path


def test_the_order_of_encodings_is_no_content(table: Path) -> None:
    before, content = sha256_of(table.parent), table.read_bytes()
    assert content.count(LISTED) == 2, "one list a column"
    table.write_bytes(content.replace(LISTED, OTHERWISE))
    assert pq.read_table(table).to_pylist()[2] == {"x": 2, "y": "b"}
    assert sha256_of(table.parent) == before


@pytest.mark.parametrize(
    "changed",
    [
        pa.table({"x": [1, 1, 3], "y": ["a", "b", "b"]}),
        pa.table({"x": [1, 1, 2], "z": ["a", "b", "b"]}),
        pa.table({"x": [1, 1, 2], "y": ["a", "b", "b"]}).replace_schema_metadata({"k": "v"}),
    ],
    ids=["value", "name", "metadata"],
)
def test_everything_else_is(table: Path, changed: pa.Table) -> None:
    before = sha256_of(table.parent)
    pq.write_table(changed, table)
    assert sha256_of(table.parent) != before


def test_every_flipped_byte_is_noticed(table: Path) -> None:
    before, content = sha256_of(table.parent), table.read_bytes()
    pages = len(content) - pq.read_metadata(table).serialized_size - 8
    for position in (4, pages // 2, pages - 1, len(content) - 1):
        damaged = bytearray(content)
        damaged[position] ^= 1
        table.write_bytes(bytes(damaged))
        assert sha256_of(table.parent) != before
    table.write_bytes(content[:-20])
    assert sha256_of(table.parent) != before
