"""Day after day: `kedro run` reads the days that came or changed; the outcome is that of all days.

A run that is killed while it merges leaves the tables of the run before, and the next completes it.
"""

import csv
import json
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from tests.e2e.projects import kill, started, succeed
from tests.e2e.test_kills import wait_for

from reclife.contracts import IngestedDays, IngestReport

pytestmark = pytest.mark.slow
Fresh = Callable[[str], Path]

FIXTURE = "tests/fixtures/tiny/interactions.csv"
SOURCE = "data/01_raw/events"
POINTER = "data/02_intermediate/ingested_days.json"
RUN = ("run", "--env", "test", "--pipelines", "ingest")
COLUMNS = ["user_id", "item_id", "rating", "timestamp"]


def days_of(project: Path) -> dict[str, list[list[str]]]:
    """Return the made-up ratings by the day that brings them: the first of their month."""
    found = defaultdict(list)
    with (project / FIXTURE).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == COLUMNS
    for row in rows:
        found[f"{datetime.fromtimestamp(int(row[3]), UTC):%Y-%m}-01"].append(row)
    return dict(sorted(found.items()))


def write_day(project: Path, day: str, rows: list[list[str]]) -> None:
    """Write a day's file; its folder is there whole or not at all."""
    beside = project / "day"
    beside.mkdir()
    with (beside / "part-0.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    target = project / SOURCE / f"date={day}"
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside.rename(target)


def by_day(project: Path) -> None:
    """Let the source be a folder of days, read incrementally."""
    catalog = project / "conf/test/catalog/ingest.yml"
    sources = yaml.safe_load(catalog.read_text(encoding="utf-8"))
    raw = sources["raw_interactions"]
    del raw["validator"]
    raw["filepath"] = SOURCE
    raw["load_args"] |= {"enforceSchema": False}
    catalog.write_text(yaml.safe_dump(sources), encoding="utf-8")
    parameters = project / "conf/test/parameters/ingest.yml"
    declared = yaml.safe_load(parameters.read_text(encoding="utf-8"))
    declared["ingest"]["incremental"] = {"day": "date"}
    parameters.write_text(yaml.safe_dump(declared), encoding="utf-8")


def ingested(project: Path) -> tuple[pa.Table, IngestedDays]:
    """Return the interactions of the newest run that finished, and its days."""
    pointer = json.loads((project / POINTER).read_text(encoding="utf-8"))
    report = IngestReport.read(project / "data/08_reporting/ingest.json")
    assert report.days is not None
    folder = project / "data/02_intermediate/interactions" / f"run_id={pointer['run_id']}"
    table = pq.read_table(folder, partitioning=None)
    return table.sort_by([(name, "ascending") for name in table.column_names]), report.days


def from_scratch(project: Path, folder: Path) -> pa.Table:
    """Return what a copy of the project, in which nothing has run, makes of the same days."""
    shutil.copytree(project, folder, symlinks=True, ignore=shutil.ignore_patterns("0[2-8]_*"))
    succeed(folder, "kedro", *RUN)
    table, days = ingested(folder)
    assert days.base is None
    return table


@contextmanager
def unreadable(file: Path) -> Iterator[None]:
    """Spoil the rows of a file that looks unchanged: who reads them gives himself away."""
    content, times = file.read_bytes(), (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    header, line, rows = content.partition(b"\n")  # Spark reads headers to know the columns
    for written in (header + line + b"#" * len(rows), content):
        file.write_bytes(written)
        os.utime(file, ns=times)
        if written != content:
            yield


def merging(project: Path) -> list[Path]:
    """Return the interactions that are being written."""
    return list(project.glob("data/02_intermediate/interactions/run_id=*/_temporary"))


def test_a_day_comes_is_sent_again_and_a_run_dies_while_it_merges(
    fresh: Fresh, tmp_path: Path
) -> None:
    project = fresh("incremental")
    by_day(project)
    days = days_of(project)
    *_, new, newest = days
    for day in list(days)[:-2]:
        write_day(project, day, days[day])
    succeed(project, "kedro", *RUN)
    old, told = ingested(project)
    assert told.new == tuple(days)[:-2]

    write_day(project, new, days[new])
    with unreadable(project / SOURCE / f"date={min(days)}" / "part-0.csv"):
        with started(project, *RUN) as process:
            wait_for(lambda: merging(project), process)
            kill(process)
        assert merging(project)
        assert ingested(project)[0].equals(old)
        succeed(project, "kedro", *RUN)
    merged, told = ingested(project)
    assert told.new == (new,)
    assert merged.num_rows == old.num_rows + len(days[new])

    write_day(project, new, days[new][1:])  # sent again, corrected
    write_day(project, newest, days[newest])
    succeed(project, "kedro", *RUN)
    corrected, told = ingested(project)
    assert told.new == (new, newest)
    assert corrected.num_rows == merged.num_rows - 1 + len(days[newest])
    assert corrected.equals(from_scratch(project, tmp_path / "scratch"))
