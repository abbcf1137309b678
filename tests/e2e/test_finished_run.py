"""The default lifecycle on a tiny project, and what others read of it."""

import shutil
from pathlib import Path

import pytest
from tests.e2e.outcomes import auc, check_lists
from tests.e2e.projects import succeed

from reclife.contracts import (
    STAGES,
    BundleManifest,
    CompressionReport,
    EvaluationReport,
    Pointer,
    ScoringReport,
    ValidationReport,
)

pytestmark = pytest.mark.slow
ITEMS = set(range(1, 81))


def test_everyone_gets_ten_new_items(finished: Path) -> None:
    check_lists(finished, 60, ITEMS)


def test_the_model_learned_the_made_up_tastes(finished: Path) -> None:
    assert auc(finished) > 0.7


def test_the_reports_keep_their_contracts(finished: Path) -> None:
    reports = finished / "data" / "08_reporting"
    run_id = EvaluationReport.read(reports / "evaluation.json").run_id
    assert CompressionReport.read(reports / "compression.json").run_id == run_id
    assert ScoringReport.read(reports / "scoring.json").model_run_id == run_id
    for stage in STAGES:
        report = ValidationReport.read(reports / "validation" / f"{stage}.json")
        assert report.run_id == run_id
        assert all(suite.success for suite in report.suites)
    assert (reports / "evaluation.html").read_text(encoding="utf-8").startswith("<!")


def test_the_current_bundle_is_one_pointer_away(finished: Path) -> None:
    pointer = Pointer.read(finished / "data" / "06_models" / "current.json")
    manifest = BundleManifest.read(finished / pointer.path / "manifest.json")
    assert manifest.run_id == pointer.run_id


def test_rescoring_reads_the_bundle_of_the_earlier_run(finished: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(finished, project, symlinks=True)
    succeed(project, "kedro", "run", "--env", "test", "--pipelines", "rescore")
    report = ScoringReport.read(project / "data" / "08_reporting" / "scoring.json")
    assert report.model_run_id != report.run_id
    check_lists(project, 60, ITEMS)
