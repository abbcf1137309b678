"""A user's mistakes: told in sentences, all at once, before anything runs."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow import csv, parquet
from tests.e2e.outcomes import interactions
from tests.e2e.projects import call, succeed

from reclife.contracts import IngestReport

Fresh = Callable[[str], Path]
PARAMETERS = "conf/test/parameters"
CATALOG = "conf/base/catalog"
SUITES = "conf/base/expectations"
RUN = ("run", "--env", "test")


def replace(project: Path, file: str, old: str, new: str) -> None:
    path = project / file
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{file} does not say {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def refused(project: Path, *arguments: str, command: str = "kedro") -> list[str]:
    """Expect a run to fail with sentences, before any data was touched; return the lines."""
    done = call(project, command, *arguments)
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    assert "Traceback" not in printed
    assert not (project / "data").exists()
    return done.stderr.splitlines() + done.stdout.splitlines()


def assert_told(lines: list[str], *wanted: tuple[str, ...]) -> None:
    """Every group of words stands in one line."""
    for words in wanted:
        assert any(all(word in line for word in words) for line in lines), (words, lines)


def test_everything_mistyped_is_told_at_once(fresh: Fresh) -> None:
    project = fresh("mistyped")
    for file, old, new in [
        ("training", "hidden_units", "hiden_units"),
        ("training", "batch_size: 128", "batch_size: many"),
        ("features", "half_life: 10", "halflife: 10"),
        ("features", "kind: affinity", "kind: afinity"),
        ("ingest", "type: float64", "type: flaot64"),
        ("ingest", "kind: threshold", "kind: treshold"),
        ("evaluation", "resamples: 50", "resample: 50"),
        ("compression", "min_ratio", "min_ration"),
        ("export", "golden_rows: 100", "golden_rows: [100]"),
        ("scoring", "top: 10", "top: 0"),
    ]:
        replace(project, f"{PARAMETERS}/{file}.yml", old, new)
    (project / PARAMETERS / "extra.yml").write_text("trianing: {seed: 1}\n", encoding="utf-8")
    replace(project, f"{SUITES}/interactions.yml", "expectations:", "expectation:")
    replace(project, f"{SUITES}/items.yml", "stage: ingest", "stage: ingst")
    replace(project, "conf/test/spark.yml", "spark.master: local[2]", "spark: {master: 'local[2]'}")
    replace(project, "conf/test/spark.yml", "driver.memory: 1g", "driver.memory: lots")
    replace(project, "pipelines/__default__.yml", "features,", "featuers,")
    replace(project, "pipelines/rescore.yml", "schedule:", "shedule:")
    lines = refused(project, *RUN)
    assert_told(
        lines,
        (f"{PARAMETERS}/training.yml", "training.model.deepfm.hiden_units", "'hidden_units'?"),
        (f"{PARAMETERS}/training.yml", "training.batch_size", "integer", "'many'"),
        (f"{PARAMETERS}/features.yml", "halflife", "'half_life'?"),
        (f"{PARAMETERS}/features.yml", "unknown kind 'afinity'", "'affinity'?"),
        (f"{PARAMETERS}/ingest.yml", "columns.rating.type", "'float64'?"),
        (f"{PARAMETERS}/ingest.yml", "unknown kind 'treshold'", "'threshold'?"),
        (f"{PARAMETERS}/evaluation.yml", "evaluation.bootstrap.resample", "'resamples'?"),
        (f"{PARAMETERS}/compression.yml", "min_ration", "'min_ratio'?"),
        (f"{PARAMETERS}/export.yml", "export.golden_rows", "integer"),
        (f"{PARAMETERS}/scoring.yml", "scoring.top", "greater than 0"),
        (f"{PARAMETERS}/extra.yml", "'trianing'", "'training'?"),
        ("interactions", "unknown key 'expectation'", "'expectations'?"),
        ("items", "no stage 'ingst'", "'ingest'?"),
        ("conf/*/spark.yml", "spark: write every setting in one line"),
        ("conf/*/spark.yml", "spark.driver.memory: 'lots'"),
        ("pipelines/__default__.yml", "stages", "'features'?"),
        ("pipelines/rescore.yml", "shedule", "'schedule'?"),
    )


def test_files_that_a_merge_would_hide_are_refused(fresh: Fresh) -> None:
    project = fresh("files")
    conf = project / "conf" / "test"
    for name, text in {
        "parameters/training.yml": "training: {seed: 7\n",
        "parameters/scoring.yml": "",
        "parameters/export.yml": "# nothing is left\n",
        "parameters/features.yml": "- features\n",
        "parameters/evaluation.yml": "evaluation:\n  gate: {}\n  gate: {}\n",
        "parameters/more.yml": "ingest: {}\n",
        "parameters/latin.yml": "training: \xe9\n",
        "training.yml": "training: {seed: 8}\n",
        "paramters/scoring.yml": "scoring: {top: 5}\n",
    }.items():
        path = conf / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="latin-1")
    assert_told(
        refused(project, *RUN),
        (f"{PARAMETERS}/training.yml", "not valid YAML, line 2"),
        (f"{PARAMETERS}/scoring.yml", "declares nothing"),
        (f"{PARAMETERS}/export.yml", "declares nothing"),
        (f"{PARAMETERS}/features.yml", "keys with values"),
        (f"{PARAMETERS}/evaluation.yml", "line 3: gate stands there twice"),
        (f"{PARAMETERS}/more.yml", f"ingest is declared in {PARAMETERS}/ingest.yml too"),
        (f"{PARAMETERS}/latin.yml", "not UTF-8"),
        ("conf/test/training.yml", "nothing reads this file", "parameters/training.yml"),
        ("conf/test/paramters/scoring.yml", "nothing reads this file", "'parameters'?"),
    )


def test_a_missing_parameter_file_is_named(fresh: Fresh) -> None:
    project = fresh("missing")
    (project / PARAMETERS / "training.yml").unlink()
    (project / "conf/base/parameters/training.yml").unlink()
    assert_told(refused(project, *RUN), ("conf/base/parameters/training.yml", "field required"))


def test_a_wrong_catalog_is_told_before_anything_runs(fresh: Fresh) -> None:
    project = fresh("catalog")
    for file, old, new in [
        (f"{CATALOG}/scoring.yml", "publish: data/08_reporting/scoring", "publsh: data/scoring"),
        (f"{CATALOG}/training.yml", "datasets.folder.Folder", "datasets.folder.Foldr"),
        (f"{CATALOG}/training.yml", "contract: TrainingReport", "contract: TrainingReprt"),
        (f"{CATALOG}/export.yml", "stage: export\n  contract", "stage: exprt\n  contract"),
        (f"{CATALOG}/export.yml", "runs/{run_id}/export.json", "export/report.json"),
        (f"{CATALOG}/features.yml", "feature_stats:", "feature_stat:"),
        ("conf/test/catalog/ingest.yml", "file_format", "fileformat"),
        ("conf/test/catalog/ingest.yml", "expectations/raw_items", "expectations/raw_item"),
    ]:
        replace(project, file, old, new)
    assert_told(
        refused(project, *RUN),
        (f"{CATALOG}/scoring.yml", "scoring_report", "'publsh'", "'publish'?"),
        (f"{CATALOG}/training.yml", "model", "'Foldr' not found", "Folder'?"),
        (f"{CATALOG}/training.yml", "training_report", "'TrainingReprt'", "'TrainingReport'?"),
        (f"{CATALOG}/export.yml", "unknown stage 'exprt'", "'export'?"),
        (f"{CATALOG}/export.yml", "must hold {run_id}"),
        (f"{CATALOG}/features.yml", "feature_stat: no stage uses", "'feature_stats'?"),
        ("feature_stats is not declared",),
        ("conf/test/catalog/ingest.yml", "raw_interactions", "'fileformat'", "'file_format'?"),
        ("conf/test/catalog/ingest.yml", "raw_items", "raw_item.yml"),
    )


def test_a_mistyped_expectation_is_told_before_anything_runs(fresh: Fresh) -> None:
    project = fresh("expectation")
    name = "expect_column_values_to_be_between"
    replace(project, f"{SUITES}/recommendations.yml", name, name.replace("_be_", "_bee_"))
    replace(project, f"{SUITES}/interactions.yml", "kwargs: {column:", "kwargs: {colum:")
    assert_told(
        refused(project, *RUN),
        ("recommendations", "no expectation", f"did you mean {name}?"),
        ("interactions", "colum"),
    )


def test_names_that_do_not_exist_come_with_the_nearest(fresh: Fresh) -> None:
    project = fresh("names")
    assert_told(
        refused(project, "run", "--pipelines", "featuers"),
        ("'featuers'", "did you mean 'features'?"),
    )
    assert_told(
        refused(project, "run", "--env", "tset"),
        ("There is no environment 'tset'", "did you mean 'test'?"),
    )
    assert_told(refused(project, *RUN, "--pipelines", "training"), ("There is no run to continue",))
    assert_told(refused(project, "resume", command="reclife"), ("There is no run to continue",))


SOURCE = "tests/fixtures/tiny/interactions.csv"


def ratings(project: Path) -> list[str]:
    return (project / SOURCE).read_text(encoding="utf-8").splitlines()


def write(project: Path, lines: list[str]) -> None:
    (project / SOURCE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def rename_a_header(project: Path) -> None:
    header, *rows = ratings(project)
    write(project, [header.replace("rating", "ratng"), *rows])


def leave_the_header_only(project: Path) -> None:
    write(project, ratings(project)[:1])


def cut_the_file(project: Path) -> None:
    content = (project / SOURCE).read_bytes()
    (project / SOURCE).write_bytes(content[: len(content) // 2])


def remove_the_file(project: Path) -> None:
    (project / SOURCE).unlink()


def put_words_for_ratings(project: Path) -> None:
    header, *rows = ratings(project)
    fields = [row.split(",") for row in rows]
    write(project, [header, *(",".join([*row[:2], "good", *row[3:]]) for row in fields)])


def cut_a_parquet_file(project: Path) -> None:
    path = project / SOURCE.replace(".csv", ".parquet")
    parquet.write_table(csv.read_csv(project / SOURCE), path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    entry = (
        f"raw_interactions: {{type: spark.SparkDatasetV2, filepath: {path}, file_format: parquet}}"
    )
    declared = (project / "conf/test/catalog/ingest.yml").read_text(encoding="utf-8")
    others = declared[declared.index("raw_items:") :]
    (project / "conf/test/catalog/ingest.yml").write_text(f"{entry}\n{others}", encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (
            rename_a_header,
            "raw_interactions.rating: expected a column of type string; it is miss",
        ),
        (leave_the_header_only, "expected at least 1,800 row(s); it is empty"),
        (cut_the_file, "expected at least 1,800 row(s); it has 899"),
        (remove_the_file, "A file is missing: Path does not exist: file:"),
        (put_words_for_ratings, "1800 of 1800 rows break the declared contract"),
        (cut_a_parquet_file, "A file is damaged or cut short:"),
    ],
)
def test_a_broken_source_is_told_and_nothing_is_left_to_read(
    fresh: Fresh, damage: Callable[[Path], None], words: str
) -> None:
    project = fresh("source")
    damage(project)
    done = call(project, "kedro", *RUN, "--pipelines", "ingest")
    printed = done.stdout + done.stderr
    assert done.returncode == 1, printed
    assert words in printed
    assert "Traceback" not in printed
    assert not list((project / "data/08_reporting/runs").glob("*/records/*.json"))
    after = call(project, "kedro", *RUN, "--pipelines", "features")
    assert after.returncode == 1
    assert "There is no run to continue" in after.stdout + after.stderr


@pytest.mark.slow
def test_rows_that_break_the_contract_go_aside_and_ids_keep_every_digit(fresh: Fresh) -> None:
    project = fresh("rows")
    header, *rows = ratings(project)
    ids = [2**53 + 1, 2**63 - 1, 0, -5]
    broken = [f"{2**63},1,5,1704420157", ",1,5,1704420157", "1,1,good,1704420157"]
    broken += ["1,1,NaN,1704420157", "1,1,inf,1704420157", "1,1,5,yesterday", rows[0]]
    write(project, [header, *rows, *(f"{one},1,5,1704420157" for one in ids), *broken])
    succeed(project, "kedro", *RUN, "--pipelines", "ingest")
    report = IngestReport.read(project / "data/08_reporting/ingest.json")
    (found,) = [table for table in report.tables if table.table == "interactions"]
    assert found.rows_in - found.rows_out == len(broken)
    assert sum(found.quarantined.values()) == len(broken)
    assert set(ids) <= set(interactions(project)["user_id"].to_pylist())
