"""Counts the rows that break the contract and stops the run when they are too many."""

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from reclife.errors import DataError
from reclife.sources.canonical import DUPLICATE, REASON, row_text

KEPT = ""
"""Key of the good rows among the counts by reason."""


def count_by_reason(parsed: DataFrame) -> dict[str, int]:
    """Return rows by reason, the good ones under `KEPT`, the most frequent first."""
    found = parsed.groupBy(sf.coalesce(REASON, sf.lit(KEPT))).count().collect()
    return dict(sorted(((row[0], row[1]) for row in found), key=lambda pair: (-pair[1], pair[0])))


def check_rate(
    parsed: DataFrame, name: str, counts: Mapping[str, int], limit: float, *, drop_duplicates: bool
) -> None:
    """Raise `DataError` when `name` is empty or more than `limit` of its rows were rejected.

    `drop_duplicates` leaves repeated rows out of the share.
    """
    total = sum(counts.values())
    if total == 0:
        raise DataError(f"{name} holds no row")
    counted = {
        reason: rows
        for reason, rows in counts.items()
        if reason != KEPT and not (drop_duplicates and reason == DUPLICATE)
    }
    rejected = sum(counted.values())
    if rejected <= limit * total:
        return
    worst = next(iter(counted))
    example = parsed.where(sf.col(REASON) == worst).select(row_text(parsed)).first()
    reasons = "; ".join(f"{reason}: {rows} row(s)" for reason, rows in counted.items())
    raise DataError(
        f"{name}: {rejected} of {total} rows break the declared contract ({rejected / total:.1%}, "
        f"above ingest.max_quarantine_rate {limit:.1%}): {reasons}; "
        f"a row with '{worst}': {example[0] if example else ''}"
    )
