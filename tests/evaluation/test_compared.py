"""The command that compares two runs, on what the runs left behind."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from tests.measured import training_report

from reclife.cli import cli
from reclife.contracts import ComparisonReport, EvaluationReport
from reclife.runtime.project import PROJECT_VARIABLE
from reclife.runtime.records import commit
from reclife.runtime.run import run_folder

USERS = 20


def leave_run(project: Path, run_id: str, model: str, right: int) -> None:
    """Write what training and evaluation leave of a run that is right about `right` users."""
    users = [user for user in range(USERS) for _ in range(4)]
    rows = len(users)
    scores = [0.8 if (n % 2 == 0) == (user < right) else 0.3 for n, user in enumerate(users)]
    tables = {
        "scored_events": {
            "user_id": users,
            "item_id": [*range(4)] * USERS,
            "timestamp": [5, 6, 7, 8] * USERS,
            "label": [1.0, 0.0] * (rows // 2),
            "score": pa.array(scores, pa.float32()),
            "slices": [["item:known"]] * rows,
            "task": ["like"] * rows,
        },
        "scored_lists": {
            "user_id": range(USERS),
            "timestamp": [5] * USERS,
            "targets": [2] * USERS,
            "ndcg@10": [1.0 if user < right else 0.25 for user in range(USERS)],
            "slices": [["user:known"]] * USERS,
        },
    }
    folder = run_folder(run_id)
    folder.mkdir(parents=True)
    outputs = {name: project / "data" / f"{run_id}-{name}.parquet" for name in tables}
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), outputs[name])
    outputs["evaluation"] = folder / "evaluation.json"
    report = EvaluationReport(run_id=run_id, rows=())
    outputs["evaluation"].write_text(report.model_dump_json())
    training = training_report(model, run_id=run_id)
    (folder / "training.json").write_text(training.model_dump_json())
    commit(run_id, "training", {"training_report": folder / "training.json"}, {}, "", 0.0)
    commit(run_id, "evaluation", outputs, {}, "", 0.0)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path))
    leave_run(tmp_path, "monday", "deepfm", right=10)
    leave_run(tmp_path, "tuesday", "din", right=19)
    return tmp_path


def compare(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["compare", *arguments])


def test_two_runs_are_compared_by_their_ids(project: Path) -> None:
    result = compare("monday", "tuesday", "--resamples", "400")
    assert result.exit_code == 0, result.output
    header, *lines, page = result.output.splitlines()
    assert header.split()[:4] == ["task", "metric", "deepfm", "din"]
    lists = next(line.split() for line in lines if line.startswith("lists"))
    assert lists[1:5] == ["NDCG@10", "0.6250", "0.9625", "+0.3375"]
    assert all(line.endswith("tuesday") for line in lines)
    place = project / "data" / "08_reporting" / "comparisons" / "monday_tuesday.html"
    assert page == str(place.relative_to(project))
    assert "Plotly.newPlot" in place.read_text(encoding="utf-8")
    report = ComparisonReport.read(place.with_suffix(".json"))
    assert (report.models, report.common) == (("deepfm", "din"), {"like": 80, "lists": 20})


def test_a_run_that_is_not_there_or_was_changed_is_told(project: Path) -> None:
    assert "not in the range 100<=x<=10000" in compare("monday", "b", "--resamples", "0").output
    wrong = compare("monday", "tusday")
    assert wrong.exit_code == 1
    assert "There is no run 'tusday'; did you mean 'tuesday'?" in wrong.output
    (project / "data" / "tuesday-scored_lists.parquet").write_bytes(b"")
    assert (
        "was changed after stage evaluation of run tuesday" in compare("monday", "tuesday").output
    )
    run_folder("new").mkdir()
    assert "Run new has no finished stage evaluation" in compare("monday", "new").output
