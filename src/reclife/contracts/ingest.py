"""What ingest reports: rows in, out and aside, days, labels."""

from typing import Literal

from reclife.contracts.base import Contract
from reclife.contracts.features import Task


class TableReport(Contract):
    """How one canonical table came about; `quarantined` counts raw rows by reason."""

    table: Literal["interactions", "items", "users"]
    source: str
    rows_in: int
    rows_out: int
    quarantined: dict[str, int]
    conflicts: int = 0
    """Ids described in more than one way; the fullest, most frequent description is kept."""
    completed: int = 0
    """Ids that only the interactions name, added with missing attributes."""


class IngestedDays(Contract):
    """`days.json` of an incremental ingest: which days its interactions come from.

    Fingerprints and rows, good and bad, are by day of the source, `YYYY-MM-DD`.
    """

    declaration: str
    """Hash of what rows are read by: columns and code; after a change every day is read again."""
    base: str | None
    """The run whose days were taken over."""
    new: tuple[str, ...]
    """The days that this run read."""
    gone: tuple[str, ...]
    """Days taken over that are no longer in the source."""
    fingerprints: dict[str, str]
    rows: dict[str, int]


class LabelReport(Contract):
    """One task's label among the interactions; `column` is null where it is not known."""

    task: str
    column: str
    delay: int
    """Seconds from an event to its label's being known; 0 for a label that the event brings."""
    known: int
    mean: float | None


class IngestReport(Contract):
    """`ingest_report`: rows in, out and aside, and the labels, the main task's first."""

    tables: tuple[TableReport, ...]
    labels: tuple[LabelReport, ...]
    days: IngestedDays | None = None
    """Of an incremental ingest."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What there is to predict."""
        return tuple(Task(name=label.task, label=label.column) for label in self.labels)

    @property
    def delays(self) -> dict[str, int]:
        """Label column -> delay in seconds, for labels that are known later than their event."""
        return {label.column: label.delay for label in self.labels if label.delay}
