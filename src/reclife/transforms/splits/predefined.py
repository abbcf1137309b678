"""`kind: predefined`: a column of the interactions names the part."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from reclife.config.splits import PredefinedSplit
from reclife.contracts import SPLIT, TIME
from reclife.errors import DataError
from reclife.transforms.split import NO_CUTS, PARTS, Cuts, drawn

_SHOWN = 5


def predefined(interactions: DataFrame, split: PredefinedSplit) -> tuple[DataFrame, Cuts]:
    """Return the interactions with a column `split`; the cuts where the parts follow in time.

    Raises:
        DataError: Rows of another value than the three parts, or a part that no row belongs to.
    """
    part = sf.col(split.column).cast("string")
    counts = {row[0]: row[1] for row in interactions.groupBy(part).count().collect()}
    _check(counts, split.column)
    if "validation" not in counts:
        chosen = (part == "train") & (drawn(interactions, split.seed) < split.validation)
        part = sf.when(chosen, "validation").otherwise(part)
    divided = interactions.withColumn(SPLIT, part)
    return divided, _cuts(divided) if TIME in interactions.columns else NO_CUTS


def _check(counts: dict[str | None, int], column: str) -> None:
    strange = {value: rows for value, rows in counts.items() if value not in PARTS}
    if strange:
        shown = sorted(strange.items(), key=lambda found: (-found[1], str(found[0])))[:_SHOWN]
        told = ", ".join(
            f"{'nothing' if value is None else repr(value)} in {rows}" for value, rows in shown
        )
        raise DataError(
            f"split column {column!r} of the interactions names no part in "
            f"{sum(strange.values())} row(s): {told}; allowed are {', '.join(PARTS)}. "
            "Set these rows aside in ingest, or write the part"
        )
    if absent := [part for part in ("train", "test") if part not in counts]:
        raise DataError(f"split column {column!r}: no row says {' or '.join(absent)}")


def _cuts(divided: DataFrame) -> Cuts:
    found = divided.groupBy(SPLIT).agg(sf.min(TIME), sf.max(TIME)).collect()
    first, last = ({row[0]: row[place] for row in found} for place in (1, 2))
    start = first["test"]
    if any(last[part] >= start for part in last if part != "test"):
        return NO_CUTS
    between = first.get("validation", start)
    return Cuts(between if last["train"] < between < start else None, start)
