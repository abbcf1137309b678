"""The encoding of a text file."""

import codecs
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

from reclife.errors import DataError

BLOCK = 1 << 20
"""Bytes looked at together."""
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
SPARK_CHARSETS = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8", "utf-16": "UTF-16"}
"""Encodings that Spark reads as it is, by Java's name."""


def detect_encoding(path: Path, head: bytes) -> str:
    """Return the encoding: by its mark, as UTF-8 when all is valid, else by the byte patterns.

    Without a mark, East Asian text writes a character as two high bytes or a high and a low one;
    Western text sets single high bytes between plain letters.
    """
    for mark, name in _BOMS.items():
        if head.startswith(mark):
            return name
    block = _first_not_utf8(path)
    if block is None:
        return "utf-8"
    high = [index for index, byte in enumerate(block) if byte >= 0x80]
    paired = sum(1 for left, right in pairwise(high) if right == left + 1)
    if paired < len(high) / 3:
        return "windows-1252"
    japanese = block.decode("cp932", errors="replace")
    kana = sum("\u3040" <= char <= "\u30ff" for char in japanese)
    broken = japanese.count("\ufffd")
    return "windows-31j" if kana > len(high) / 20 and broken < kana else "gb18030"


def decode(path: Path, head: bytes, encoding: str) -> str:
    """Return the beginning of the file as text; a character cut at its end is left out.

    Raises:
        DataError: The encoding is unknown, or not that of the file.
    """
    try:
        return codecs.getincrementaldecoder(python_name(encoding))("strict").decode(head)
    except LookupError:
        raise DataError(f"{path}: unknown encoding {encoding!r}.") from None
    except UnicodeDecodeError as problem:
        raise DataError(
            f"{path} is not {encoding} text (byte {problem.start:,}); say its encoding by "
            "--encoding."
        ) from None


def python_name(encoding: str) -> str:
    """Return the encoding by Python's name."""
    return "cp932" if encoding.lower() == "windows-31j" else encoding


def _first_not_utf8(path: Path) -> bytes | None:
    """Return the first block of the file that is not UTF-8, None when all of it is."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with pa.input_stream(str(path)) as stream:
        while True:
            block = bytes(stream.read(BLOCK))
            try:
                decoder.decode(block, final=not block)
            except UnicodeDecodeError:
                return block
            if not block:
                return None
