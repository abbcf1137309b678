"""Writing files so that a reader sees the old or the new one, never half of one; hashing them."""

import hashlib
import os
from pathlib import Path

_CHUNK = 1 << 20
_TAIL = 8
"""Bytes at the end of a Parquet file: the footer's length and the file's mark."""


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


def sha256_of_file(path: Path, size: int | None = None) -> str:
    """Return the sha256 of a file's bytes, or of the first `size` of them."""
    state = hashlib.sha256()
    left = path.stat().st_size if size is None else size
    with path.open("rb") as file:
        while chunk := file.read(min(_CHUNK, left)):
            state.update(chunk)
            left -= len(chunk)
    return state.hexdigest()


def sha256_of(path: Path) -> str:
    """Return one hash over the content of a file or folder.

    Parquet part files are named at random by Spark, so the names of those do not count; the
    number of their part, which fixes the order, does.
    """
    state = hashlib.sha256()
    for file in files_under(path):
        name = "" if file == path else _stable_name(file.relative_to(path).as_posix())
        content = _parquet_content(file) if file.suffix == ".parquet" else sha256_of_file(file)
        state.update(f"{name}\0{content}\n".encode())
    return state.hexdigest()


def _parquet_content(path: Path) -> str:
    """Return a hash of the file's pages and of what its footer says.

    The footer lists the encodings of a column in no fixed order: a Java process that writes the
    same table again may list them otherwise. A damaged file is hashed as it is.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        footer = pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return sha256_of_file(path)
    said = footer.to_dict()
    for group in said["row_groups"]:
        for column in group["columns"]:
            column["encodings"] = sorted(column["encodings"])
    pages = sha256_of_file(path, path.stat().st_size - footer.serialized_size - _TAIL)
    schema = footer.schema.to_arrow_schema()
    told = f"{pages}\0{said}\0{schema.to_string(truncate_metadata=False)}\0{footer.metadata}"
    return hashlib.sha256(told.encode()).hexdigest()


def _stable_name(name: str) -> str:
    folder, _, stem = name.rpartition("/")
    if stem.startswith("part-") and stem.endswith(".parquet"):
        stem = stem[: len("part-00000")]
    return f"{folder}/{stem}"
