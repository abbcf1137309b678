"""Incremental ingest: new and changed days are read, others taken over; the result is that of all.

The expected tables are those of an ingest that reads everything anew.
"""

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from kedro.io import DatasetError

from reclife.config.ingest import IngestConfig
from reclife.contracts import IngestedDays, IngestReport
from reclife.datasets.days import DayFolder, NewestDays
from reclife.errors import ArtifactError, DataError
from reclife.pipelines.ingest import nodes
from reclife.runtime.project import PROJECT_VARIABLE
from reclife.runtime.records import commit
from reclife.runtime.run import RUN_VARIABLE

POINTER = "data/02_intermediate/ingested_days.json"
CONFIG: dict[str, Any] = {
    "interactions": {
        "columns": {
            "user_id": {"from": "user", "type": "int64"},
            "item_id": {"from": "item", "type": "string"},
            "stars": {"from": "stars", "type": "float64"},
        },
        "time": {"from": "at", "format": "epoch_seconds"},
        "label": {"kind": "threshold", "column": "stars", "at_least": 4},
        "duplicates": "drop",
    },
    "incremental": {},
    "max_quarantine_rate": 0.4,
}
DAYS = {
    "2024-03-01": ["1,a,5,10", f"{2**53 + 1},007,3,20"],
    "2024-03-02": ["1,b,4,30", "2,a,two,40", "2,b,1,50"],
}


class Result(NamedTuple):
    """What a run left: rows as sets, so that order and partitions do not matter."""

    interactions: set[tuple[Any, ...]]
    aside: set[tuple[str, str]]
    report: IngestReport

    @property
    def days(self) -> IngestedDays:
        assert self.report.days is not None
        return self.report.days


class Project:
    """A folder with a source of day folders, in which ingest runs under ids of its own."""

    def __init__(self, spark: Any, folder: Path, patch: pytest.MonkeyPatch) -> None:
        patch.setenv(PROJECT_VARIABLE, str(folder))
        self._spark, self._folder, self._patch = spark, folder, patch
        self.source = folder / "raw"
        for day, lines in DAYS.items():
            self.write(day, lines)

    def write(self, day: str, lines: list[str], name: str = "part-0.csv") -> None:
        file = self.source / f"date={day}" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(["user,item,stars,at", *lines]) + "\n", encoding="utf-8")

    def read(self) -> Any:
        columns = "user string, item string, stars string, at string"
        place = str(self.source)
        return self._spark.read.csv(place, schema=columns, header=True, enforceSchema=False)

    def folder(self, run_id: str) -> DayFolder:
        self._patch.setenv(RUN_VARIABLE, run_id)
        path = "data/02_intermediate/ingested_days/run_id={run_id}"
        return DayFolder(path=path, stage="ingest", publish=POINTER)

    def read_days(self, run_id: str, config: dict[str, Any] = CONFIG) -> IngestedDays:
        """Run the first node only, as a run that is killed later does."""
        folder = self.folder(run_id)
        write, _ = nodes.read_days(
            self.read(), NewestDays(POINTER).load(), IngestConfig.model_validate(config)
        )
        folder.save(write)
        return IngestedDays.read(folder.location / "days.json")

    def finish(self, run_id: str) -> None:
        folder = self.folder(run_id)
        commit(run_id, "ingest", {"ingested_days": folder.location}, {}, "", 0)
        folder.publish()

    def run(self, run_id: str) -> Result:
        self.read_days(run_id)
        found = self._stage(self.folder(run_id).load(), IngestConfig.model_validate(CONFIG))
        self.finish(run_id)
        return found

    def from_scratch(self) -> Result:
        self._spark.catalog.clearCache()  # a source of the same path would be taken from there
        declared = {name: value for name, value in CONFIG.items() if name != "incremental"}
        return self._stage(self._folder / "nothing", IngestConfig.model_validate(declared))

    def _stage(self, days: Path, config: IngestConfig) -> Result:
        parsed = nodes.parse_interactions(self.read(), days, config)
        quarantine, counts = nodes.set_aside(parsed, {}, days, config)
        kept = nodes.keep_interactions(parsed, counts, config)
        report = nodes.write_report(
            counts,
            {"rows": 0, "conflicts": 0, "completed": 0},
            {"rows": 0, "conflicts": 0, "completed": 0},
            kept,
            days,
            config,
        )
        aside = {(row["reason"], row["row"]) for row in quarantine.collect()}
        return Result({tuple(row) for row in kept.collect()}, aside, report)


def scramble(file: Path) -> None:
    """Make a file unreadable that looks unchanged: who reads it all the same gives himself away."""
    before, size = file.stat(), file.stat().st_size
    file.write_bytes(b"#" * size)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.fixture
def project(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    yield Project(spark, tmp_path, monkeypatch)
    spark.catalog.clearCache()


def test_a_day_is_added_and_another_replaced(project: Project) -> None:
    first = project.run("r1")
    assert first.days.new == ("2024-03-01", "2024-03-02")
    assert first.days.rows == {"2024-03-01": 2, "2024-03-02": 3}
    assert first[:2] == project.from_scratch()[:2]

    project.write("2024-03-02", ["1,b,4,30", "2,b,5,50", "3,c,5,60"])
    project.write("2024-03-03", ["1,a,5,10", "3,c,1,70"])  # the first row stands there already
    everything = project.from_scratch()
    scramble(project.source / "date=2024-03-01" / "part-0.csv")
    second = project.run("r2")
    assert second.days.new == ("2024-03-02", "2024-03-03")
    assert second.days.base == "r1"
    assert second.interactions == everything.interactions
    assert second.interactions == {
        (1, "a", 10, 1.0, 5.0),
        (2**53 + 1, "007", 20, 0.0, 3.0),
        (1, "b", 30, 1.0, 4.0),
        (2, "b", 50, 1.0, 5.0),
        (3, "c", 60, 1.0, 5.0),
        (3, "c", 70, 0.0, 1.0),
    }
    assert {reason for reason, _ in second.aside} == {"duplicate"}


def test_where_nothing_changed_nothing_is_read(project: Project) -> None:
    project.read_days("r1")
    project.finish("r1")
    shutil.rmtree(project.source / "date=2024-03-01")
    project.write("2024-03-01", DAYS["2024-03-01"])  # the same again, but written later
    assert project.read_days("r2").new == ("2024-03-01",)
    project.finish("r2")
    third = project.read_days("r3")
    assert (third.new, third.base) == ((), "r2")
    assert third.rows == {"2024-03-01": 2, "2024-03-02": 3}


def test_a_second_file_of_a_day_reads_that_day_again(project: Project) -> None:
    project.read_days("r1")
    project.finish("r1")
    project.write("2024-03-02", ["7,x,5,55"], "part-1.csv")
    found = project.read_days("r2")
    assert (found.new, found.rows["2024-03-02"]) == (("2024-03-02",), 4)


def test_nobody_starts_from_what_a_killed_run_left(project: Project) -> None:
    project.read_days("r1")
    project.finish("r1")
    project.write("2024-03-03", ["3,c,1,70"])
    project.read_days("r2")  # and no record
    assert project.read_days("r3").base == "r1"
    resumed = project.read_days("r2")
    assert (resumed.base, resumed.new) == ("r1", ("2024-03-03",))
    project.finish("r2")
    again = project.read_days("r2")  # begins where it began, not with itself
    assert (again.base, again.new) == ("r1", ("2024-03-03",))


def test_a_day_that_vanished_stays_and_is_told(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    project.read_days("r1")
    project.finish("r1")
    shutil.rmtree(project.source / "date=2024-03-01")
    with caplog.at_level(logging.WARNING):
        found = project.read_days("r2")
    assert found.gone == ("2024-03-01",)
    assert found.rows == {"2024-03-01": 2, "2024-03-02": 3}
    assert "1 day(s) read earlier are no longer there (2024-03-01); their rows stay" in caplog.text
    project.finish("r2")
    columns = {**CONFIG["interactions"]["columns"], "place": {"from": "item", "type": "string"}}
    changed = {**CONFIG, "interactions": {**CONFIG["interactions"], "columns": columns}}
    with pytest.raises(DataError, match=r"1 day\(s\) of an earlier run \(2024-03-01\) must be"):
        project.read_days("r3", changed)


def test_other_columns_read_every_day_again_another_label_none(project: Project) -> None:
    project.read_days("r1")
    project.finish("r1")
    label = {**CONFIG["interactions"], "label": {"kind": "all_positive"}}
    assert project.read_days("r2", {**CONFIG, "interactions": label}).new == ()
    columns = {**CONFIG["interactions"]["columns"], "place": {"from": "item", "type": "string"}}
    more = {**CONFIG, "interactions": {**CONFIG["interactions"], "columns": columns}}
    assert project.read_days("r3", more).new == ("2024-03-01", "2024-03-02")


@pytest.mark.parametrize("damage", [shutil.rmtree, lambda folder: (folder / "more.csv").touch()])
def test_days_that_were_touched_since_are_refused(
    project: Project, damage: Callable[[Path], object]
) -> None:
    project.read_days("r1")
    project.finish("r1")
    damage(project.folder("r1").location)
    with pytest.raises((ArtifactError, DatasetError), match="is missing"):
        project.read_days("r2")


def test_a_day_with_too_few_rows_stops_the_run(project: Project) -> None:
    project.write("2024-03-03", [])
    with pytest.raises(DatasetError, match=r"1 day\(s\) have fewer rows .* 2024-03-03 has 0"):
        project.read_days("r1")


def test_a_broken_day_is_not_hidden_by_many_good_ones(project: Project) -> None:
    project.write("2024-03-01", [f"1,i{n},5,{n}" for n in range(50)])
    project.run("r1")
    project.write("2024-03-03", ["1,a,many,70", "2,a,many,70", "3,c,5,70"])
    with pytest.raises(DataError, match=r"raw_interactions \(2024-03-03\): 2 of 3 rows break"):
        project.run("r2")


def test_a_source_without_days_is_refused(project: Project) -> None:
    (project.source / "date=2024-3-4").mkdir()
    (project.source / "date=2024-03-01" / "part-0.csv").rename(
        project.source / "date=2024-3-4" / "part-0.csv"
    )
    with pytest.raises(DataError, match=r"must be a folder of date=YYYY-MM-DD folders; 1 file"):
        project.read_days("r1")
    by_hour = {**CONFIG, "incremental": {"day": "dt"}}
    with pytest.raises(DataError, match=r"must be a folder of dt=YYYY-MM-DD folders"):
        project.read_days("r1", by_hour)
