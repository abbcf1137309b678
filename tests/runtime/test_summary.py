"""What is printed at the end of a run."""

from pathlib import Path

import pytest

from reclife.contracts import EvaluationReport, EvaluationRow
from reclife.runtime.project import PROJECT_VARIABLE
from reclife.runtime.run import run_folder
from reclife.runtime.summary import print_summary


@pytest.mark.parametrize("leaking", [True, False])
def test_a_split_that_leaks_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    leaking: bool,
) -> None:
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path))
    run_folder("r1").mkdir(parents=True)
    report = EvaluationReport(run_id="r1", rows=(), leaking=leaking)
    (run_folder("r1") / "evaluation.json").write_text(report.model_dump_json(), encoding="utf-8")
    print_summary("r1")
    assert ("The split is leaking" in capsys.readouterr().err) == leaking


def row(task: str, part: str, metric: str, value: float, k: int | None = None) -> EvaluationRow:
    return EvaluationRow(
        model="m",
        task=task,
        split="test",
        slice=part,
        metric=metric,
        k=k,
        value=value,
        ci_low=None,
        ci_high=None,
        users=9,
    )


def test_figures_at_any_cut_off_and_on_drawn_negatives_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path))
    run_folder("r1").mkdir(parents=True)
    rows = (
        row("like", "sampled_negatives", "logloss", 0.4321),
        row("like", "sampled_negatives:genre:a", "auc", 0.1111),
        row("lists", "all", "ndcg", 0.2345, k=20),
        row("lists", "all", "ndcg", 0.3456, k=50),
    )
    report = EvaluationReport(run_id="r1", rows=rows)
    (run_folder("r1") / "evaluation.json").write_text(report.model_dump_json(), encoding="utf-8")
    print_summary("r1")
    printed = capsys.readouterr().err
    assert "will this user like it? The negatives were drawn." in " ".join(printed.split())
    assert "Lists of 20" in printed
    lines = [line.replace("│", " ").split() for line in printed.splitlines() if "│ m " in line]
    missing = ["not", "defined"]
    assert lines == [["m", *missing, *missing, "0.4321"], ["m", "0.2345", *missing, *missing]]
