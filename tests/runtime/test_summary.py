"""What is printed at the end of a run."""

from pathlib import Path

import pytest

from reclife.contracts import EvaluationReport
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
