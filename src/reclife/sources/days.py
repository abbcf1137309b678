"""Incremental ingest: reads the days of a source that are new or changed, takes over the others."""

import logging
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from reclife.config.ingest import Incremental, InteractionsSource
from reclife.contracts import IngestedDays, digest
from reclife.datasets.days import DAYS, EarlierDays
from reclife.errors import DataError
from reclife.runtime.files import files_under, write_atomically
from reclife.runtime.records import code_version
from reclife.runtime.spark import session
from reclife.sources.canonical import (
    RAW,
    REASON,
    SOURCE_DAY,
    parse_interactions,
    row_text,
)

_LOG = logging.getLogger(__name__)
_ROWS = "rows"
"""Folder of the rows beside `days.json`, which Spark would take for a table's file."""
_SHOWN = 5


class Days(NamedTuple):
    """What a run reads and what it takes over; of the latter, `gone` has left the source."""

    read: tuple[str, ...]
    kept: tuple[str, ...]
    gone: tuple[str, ...]
    fingerprints: dict[str, str]
    declaration: str
    earlier: EarlierDays


def find_days(
    raw: DataFrame, earlier: EarlierDays, source: InteractionsSource, incremental: Incremental
) -> Days:
    """Compare the source's days with those of an earlier run.

    Raises:
        DataError: The source is not partitioned by day, or days that an earlier run has read must
            be read again and are no longer there.
        ArtifactError: What the earlier run left was changed since.
    """
    known = earlier.read()
    found = fingerprints(raw, incremental.day)
    declaration = digest([_reading(source), code_version()])
    usable = known.fingerprints if known and known.declaration == declaration else {}
    kept = {day: mark for day, mark in usable.items() if found.get(day, mark) == mark}
    if lost := sorted(earlier.expected - kept.keys() - found.keys()):
        raise DataError(
            f"raw_interactions: {len(lost)} day(s) of an earlier run ({_some(lost)}) must be read "
            "again, because the declared columns or the code changed, but are no longer there: "
            "put them back, or delete data/02_intermediate/ingested_days.json to go on without"
        )
    read = tuple(sorted(found.keys() - kept.keys()))
    if not read and not kept:
        raise DataError("raw_interactions holds no row")
    gone = tuple(sorted(kept.keys() - found.keys()))
    if gone:
        _LOG.warning(
            "raw_interactions: %d day(s) read earlier are no longer there (%s); their rows stay. "
            "To go on without them, delete data/02_intermediate/ingested_days.json",
            len(gone),
            _some(gone),
        )
    _LOG.info("%d day(s) to read (%s), %d taken over", len(read), _some(read) or "none", len(kept))
    return Days(read, tuple(sorted(kept)), gone, {**kept, **found}, declaration, earlier)


def write_days(
    raw: DataFrame,
    days: Days,
    source: InteractionsSource,
    incremental: Incremental,
    folder: Path,
) -> None:
    """Write the rows of the days to read, link those to keep, and say which they are.

    A row that is set aside keeps its text; of a good one there are the canonical columns.

    Raises:
        DataError: A day has fewer rows than declared.
    """
    if days.read:
        day = sf.col(incremental.day).cast("string")
        parsed = parse_interactions(raw.where(day.isin(*days.read)), source)
        text = sf.when(sf.col(REASON).isNotNull(), row_text(parsed))
        from_day = sf.col(RAW)[incremental.day].cast("string")
        rows = parsed.withColumn(SOURCE_DAY, from_day).withColumn(RAW, text)
        rows.write.mode("append").partitionBy(SOURCE_DAY).parquet(str(folder / _ROWS))
    for kept in days.kept:
        _link(days.earlier.folder, folder, kept)
    rows_by_day = {one: _rows(folder, one) for one in days.fingerprints}
    few = [one for one in days.read if rows_by_day[one] < incremental.min_rows]
    if few:
        raise DataError(
            f"raw_interactions: {len(few)} day(s) have fewer rows than ingest.incremental.min_rows "
            f"{incremental.min_rows}: {_some(f'{one} has {rows_by_day[one]}' for one in few)}"
        )
    document = IngestedDays(
        declaration=days.declaration,
        base=days.earlier.run_id if days.kept else None,
        new=days.read,
        gone=days.gone,
        fingerprints=dict(sorted(days.fingerprints.items())),
        rows=dict(sorted(rows_by_day.items())),
    )
    write_atomically(folder / DAYS, document.model_dump_json(indent=2) + "\n")


def parsed_days(folder: Path) -> DataFrame:
    """Return the parsed rows of all days that lie in `folder`.

    Raises:
        DataError: There is none.
    """
    if not files_under(folder / _ROWS):
        raise DataError("raw_interactions holds no row")
    day = sf.col(SOURCE_DAY).cast("string").alias(SOURCE_DAY)
    found = session().read.parquet(str(folder / _ROWS))
    return found.select(*(name for name in found.columns if name != SOURCE_DAY), day)


def rows_of(parsed: DataFrame, days: Sequence[str]) -> DataFrame:
    """Return the parsed rows of some days of the source."""
    return parsed.where(sf.col(SOURCE_DAY).isin(*days))


def fingerprints(raw: DataFrame, day: str) -> dict[str, str]:
    """Return day -> hash over name, size and time of change of its files, nothing of their rows.

    Raises:
        DataError: The source is not a folder of `<day>=YYYY-MM-DD` folders.
    """
    in_day = re.compile(rf"/{re.escape(day)}=(\d{{4}}-\d{{2}}-\d{{2}})/(.+)$")
    places = {file: in_day.search(unquote(file)) for file in raw.inputFiles()}
    strange = [file for file, place in places.items() if place is None]
    if day not in raw.columns or strange:
        raise DataError(
            f"ingest.incremental: raw_interactions must be a folder of {day}=YYYY-MM-DD folders"
            + (f"; {len(strange)} file(s) lie elsewhere ({_some(strange)})" if strange else "")
        )
    said: dict[str, list[list[object]]] = {}
    for file, place in places.items():
        if place is not None:
            said.setdefault(place[1], []).append([place[2], *_status(file)])
    return {one: digest(sorted(files)) for one, files in sorted(said.items())}


def _status(file: str) -> tuple[int, int]:
    """Return bytes and milliseconds of change of a file on any file system that Spark reads."""
    spark = session()
    java: Any = spark._jvm  # noqa: SLF001
    path = java.org.apache.hadoop.fs.Path(java.java.net.URI(file))
    settings = spark._jsc.hadoopConfiguration()  # noqa: SLF001
    status = path.getFileSystem(settings).getFileStatus(path)
    return status.getLen(), status.getModificationTime()


def _reading(source: InteractionsSource) -> dict[str, Any]:
    """Return what decides how one row is read; labels are made of rows as read."""
    declared = source.model_dump(mode="json", include={"columns", "time", "event", "weight"})
    return {**declared, "time": {**(declared["time"] or {}), "complete_until": None}}


def _link(earlier: Path | None, folder: Path, day: str) -> None:
    """Give the files of a day a second name in `folder`, or a copy where there are no such."""
    if earlier is None:
        return
    target = _folder(folder, day)
    for file in files_under(_folder(earlier, day)):
        target.mkdir(parents=True, exist_ok=True)
        try:
            os.link(file, target / file.name)
        except OSError:
            shutil.copyfile(file, target / file.name)


def _folder(folder: Path, day: str) -> Path:
    return folder / _ROWS / f"{SOURCE_DAY}={day}"


def _rows(folder: Path, day: str) -> int:
    return sum(pq.read_metadata(file).num_rows for file in files_under(_folder(folder, day)))


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:_SHOWN]) + (", ..." if len(listed) > _SHOWN else "")
