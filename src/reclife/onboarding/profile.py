"""What the columns of a file hold: facts over every row, and a sample of rows for the rest."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, final

import pyarrow as pa
import pyarrow.compute as pc

from reclife.errors import DataError
from reclife.onboarding.source import Form, batches

FIRST_ROWS = 50_000
ROWS_PER_BATCH = 500
MOST_ROWS = 200_000
"""The sample: the first rows, then a few of every later batch, up to a limit."""
MOST_DISTINCT = 200_000
"""Distinct values counted; more than that reads as this many."""

_EXACT = r"^\s*(0|-?[1-9][0-9]*)\s*$"
_COMMA = re.compile(r"\s*[+-]?\d+(?:,(\d+))?\s*")
_LONG = 19
"""Digits from which an integer may leave 64 bits."""


@final
@dataclass
class Column:
    """One column: counts over the whole file, texts from the sample (none of them empty)."""

    name: str
    rows: int = 0
    empty: int = 0
    exact: int = 0
    """Integers that are written back digit by digit: no leading zero, within 64 bits."""
    newlines: bool = False
    _seen: set[str] = field(default_factory=set)
    sample: list[str] = field(default_factory=list)

    @property
    def filled(self) -> int:
        """Rows with a value."""
        return self.rows - self.empty

    @property
    def is_int64(self) -> bool:
        """Whether every value of the file is a 64-bit integer that survives the way there."""
        return self.filled > 0 and self.exact == self.filled

    @property
    def distinct(self) -> int:
        """Distinct values in the whole file, at most `MOST_DISTINCT`."""
        return len(self._seen)

    @property
    def values(self) -> frozenset[str]:
        """The distinct values that were counted."""
        return frozenset(self._seen)

    @cached_property
    def numbers(self) -> list[float]:
        """The sample as numbers; empty unless nearly all of it (99 %) is numeric."""
        texts = self.sample
        if self.decimal == ",":
            texts = [text.replace(",", ".") for text in texts]
        parsed = [number for text in texts if (number := number_of(text)) is not None]
        return parsed if len(parsed) >= 0.99 * len(texts) else []

    @cached_property
    def decimal(self) -> Literal[".", ","]:
        """What stands before a fraction: a comma when nearly all are numbers and some have one.

        Where three digits follow every comma, it may as well divide thousands; such a column
        counts as text.
        """
        matches = [_COMMA.fullmatch(text) for text in self.sample]
        fractions = {len(match[1]) for match in matches if match and match[1]}
        written = sum(match is not None for match in matches)
        nearly_all = written >= 0.99 * len(self.sample)
        return "," if nearly_all and fractions - {3} else "."

    def fold(self, values: pa.Array) -> None:
        """Take in one batch of values."""
        self.rows += len(values)
        filled = values.filter(pc.not_equal(pc.utf8_trim_whitespace(values), ""))
        self.empty += len(values) - len(filled)
        whole = filled.filter(pc.match_substring_regex(filled, _EXACT))
        self.exact += len(whole) - _overflowing(whole)
        self.newlines = self.newlines or bool(pc.any(pc.match_substring(values, "\n")).as_py())
        if len(self._seen) < MOST_DISTINCT:
            fresh = pc.unique(filled).to_pylist()
            self._seen.update(fresh[: MOST_DISTINCT - len(self._seen)])

    def remember(self, values: pa.Array) -> None:
        """Add values to the sample."""
        self.sample += [text for text in values.to_pylist() if text.strip()]


@final
@dataclass(frozen=True)
class Profile:
    """A file: its form, its columns by name, and sampled rows as one text table."""

    form: Form
    columns: dict[str, Column]
    rows: int
    sample: pa.Table

    @property
    def newlines(self) -> bool:
        """Whether a quoted value runs over several lines."""
        return any(column.newlines for column in self.columns.values())


def profile(form: Form) -> Profile:
    """Read the whole file once.

    Raises:
        DataError: It holds a header and nothing else.
    """
    columns = {name: Column(name) for name in form.columns}
    rows, kept, sampled = 0, 0, []
    for batch in batches(form):
        rows += batch.num_rows
        for name, column in columns.items():
            column.fold(batch.column(name))
        wanted = max(FIRST_ROWS - kept, ROWS_PER_BATCH)
        if kept < MOST_ROWS:
            part = batch.slice(0, wanted)
            kept += part.num_rows
            sampled.append(part)
            for name, column in columns.items():
                column.remember(part.column(name))
    if not rows:
        raise DataError(f"{form.path} has a header but no row.")
    return Profile(form, columns, rows, pa.Table.from_batches(sampled))


def number_of(text: str) -> float | None:
    """Return the finite number that `text` writes, else None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _overflowing(whole: pa.Array) -> int:
    long = whole.filter(pc.greater_equal(pc.utf8_length(whole), _LONG))
    return sum(not -(2**63) <= int(text) < 2**63 for text in long.to_pylist())
