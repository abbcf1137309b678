"""How a delimited text file is written: delimiter, header; and its rows, in batches."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

import pyarrow as pa
import pyarrow.csv as pacsv

from reclife.errors import DataError
from reclife.onboarding.encoding import SPARK_CHARSETS, decode, detect_encoding, python_name

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}
HEAD_BYTES = 1 << 20
"""Bytes of the file's beginning that its form is judged by."""


@final
@dataclass(frozen=True)
class Form:
    """How a file is written. `columns` are named as Spark names them (`_c0` without a name)."""

    path: Path
    encoding: str
    delimiter: str
    header: bool
    columns: tuple[str, ...]

    @property
    def charset(self) -> str:
        """The encoding by Java's name."""
        return SPARK_CHARSETS.get(self.encoding, self.encoding.upper())

    @property
    def legacy_charset(self) -> bool:
        """Whether Spark reads the encoding only when told so in `spark.yml`."""
        return self.encoding not in (*SPARK_CHARSETS, "iso-8859-1")


def examine(path: Path, encoding: str | None, delimiter: str | None, header: bool | None) -> Form:
    """Return the form of the file at `path`; what is given is not guessed.

    Raises:
        DataError: The file is missing, empty, not text, or cannot be split into named columns.
    """
    if not path.is_file():
        raise DataError(f"{path}: there is no such file.")
    with pa.input_stream(str(path)) as stream:
        head = stream.read(HEAD_BYTES)
    if not head.strip():
        raise DataError(f"{path} is empty.")
    encoding = encoding or detect_encoding(path, head)
    text = decode(path, head, encoding)
    if "\0" in text:
        raise DataError(f"{path} is not a text file; give a CSV file, as plain text or .gz.")
    delimiter = delimiter or detect_delimiter(path, text)
    rows = _first_rows(text, delimiter)
    named = has_header(rows) if header is None else header
    return Form(path, encoding, delimiter, named, _column_names(path, rows[0], named))


def detect_delimiter(path: Path, text: str) -> str:
    """Return the delimiter that cuts the first rows into the same, largest number of fields.

    Raises:
        DataError: None of the known ones does.
    """
    widths = {}
    for delimiter in DELIMITERS:
        counts = Counter(len(row) for row in _first_rows(text, delimiter))
        width, rows = counts.most_common(1)[0]
        if width > 1 and rows >= 0.9 * counts.total():
            widths[delimiter] = width
    if not widths:
        raise DataError(
            f"{path}: no comma, tab, semicolon or pipe cuts its rows into the same number of "
            f"columns (it begins with {text.splitlines()[0][:80]!r}); say it by --delimiter."
        )
    return max(widths, key=lambda delimiter: widths[delimiter])


def has_header(rows: list[list[str]]) -> bool:
    """Tell names from data.

    No name is empty (but the first), a number, a value of its column, or a code such as `u7a9`
    that is built like most values of its column.
    """
    names, data = rows[0], rows[1:]
    if any(_is_number(name) for name in names) or not all(names[1:]):
        return False
    if len(set(names)) < len(names):
        return False
    values = [[row[i] for row in data if i < len(row)] for i in range(len(names))]
    return not any(_is_value(name, seen) for name, seen in zip(names, values, strict=True) if name)


def _is_value(name: str, values: list[str]) -> bool:
    if name in values:
        return True
    alike = sum(_build(value) == _build(name) for value in values)
    return any(char.isdigit() for char in name) and alike > len(values) / 2


def _build(text: str) -> str:
    """Return how a text is built: runs of letters and of digits, other characters as they are."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))


def batches(form: Form) -> Iterator[pa.RecordBatch]:
    """Yield the file's rows with every column as text, none of it missing.

    Raises:
        DataError: A row is not decodable, or a quoted field never ends.
    """
    try:
        reader = pacsv.open_csv(
            str(form.path),
            read_options=pacsv.ReadOptions(
                column_names=list(form.columns),
                skip_rows=int(form.header),
                encoding="utf8"
                if form.encoding.startswith("utf-8")
                else python_name(form.encoding),
                block_size=1 << 22,
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=form.delimiter, newlines_in_values=True, invalid_row_handler=_skip
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(form.columns, pa.string()), strings_can_be_null=False
            ),
        )
        yield from reader
    except (pa.ArrowException, UnicodeDecodeError) as problem:
        raise DataError(f"{form.path} cannot be read as {form.encoding} text: {problem}") from None


def _skip(row: pacsv.InvalidRow) -> str:  # noqa: ARG001 - the signature is pyarrow's
    """Leave a row with too few or too many fields to `ingest`, which sets it aside."""
    return "skip"


def _first_rows(text: str, delimiter: str, limit: int = 200) -> list[list[str]]:
    """Return the first complete rows that are not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows = []
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) > limit:
                return rows[:-1]
    except csv.Error:
        pass
    # the last row may be cut where the head ends
    return rows[:-1] if len(text) >= HEAD_BYTES // 4 and len(rows) > 1 else rows


def _column_names(path: Path, first: list[str], header: bool) -> tuple[str, ...]:
    names = [name if header and name else f"_c{i}" for i, name in enumerate(first)]
    folded = [name.casefold() for name in names]
    twice = sorted({name for name in names if folded.count(name.casefold()) > 1})
    if twice:
        raise DataError(
            f"{path}: the header names more than one column {', '.join(map(repr, twice))} (upper "
            "and lower case count as the same); rename them."
        )
    return tuple(names)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True
