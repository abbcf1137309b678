"""Writing files so that a reader sees the old or the new one, never half of one; hashing them."""

import hashlib
import os
from pathlib import Path

_CHUNK = 1 << 20


def write_atomically(path: Path, text: str) -> None:
    """Write `text` to `path`, replacing what is there in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def files_under(path: Path) -> list[Path]:
    """Return the files that make up an artefact: itself, or all below a folder, in a fixed order.

    Hidden files and Spark's markers (`_SUCCESS`, `.crc`) carry no data and are left out.
    """
    if path.is_file():
        return [path]
    return sorted(
        file
        for file in path.rglob("*")
        if file.is_file() and not any(part[0] in "._" for part in file.relative_to(path).parts)
    )


def sha256_of_file(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    state = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            state.update(chunk)
    return state.hexdigest()


def sha256_of(path: Path) -> str:
    """Return one hash over the content of a file or folder.

    Parquet part files are named at random by Spark, so the names of those do not count; the
    number of their part, which fixes the order, does.
    """
    state = hashlib.sha256()
    for file in files_under(path):
        name = "" if file == path else _stable_name(file.relative_to(path).as_posix())
        state.update(f"{name}\0{sha256_of_file(file)}\n".encode())
    return state.hexdigest()


def _stable_name(name: str) -> str:
    folder, _, stem = name.rpartition("/")
    if stem.startswith("part-") and stem.endswith(".parquet"):
        stem = stem[: len("part-00000")]
    return f"{folder}/{stem}"
