"""A user's mistakes: told in sentences, all at once, before anything runs."""

from collections.abc import Callable
from pathlib import Path

from tests.e2e.projects import call

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
