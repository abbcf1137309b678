"""The training stage by a cluster, called as a user calls it."""

import shutil
from pathlib import Path

import pytest
import yaml
from tests.e2e.projects import succeed

from reclife.contracts import TrainingReport

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "topology",
    [
        {"kind": "multi_worker", "workers": 2},
        {"kind": "parameter_server", "workers": 2, "servers": 1, "batches_per_unit": 2},
    ],
    ids=["multi_worker", "parameter_server"],
)
def test_the_training_stage_starts_the_declared_cluster(
    topology: dict[str, object], finished: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(finished, folder, symlinks=True)
    before = report(folder)
    shutil.rmtree(folder / "data" / "06_models" / "checkpoints")  # they fit any topology
    declare(folder, **topology)
    succeed(folder, "kedro", "run", "--env", "test", "--pipelines", "training")
    logs = list(folder.glob("data/06_models/checkpoints/*/job/tasks/*.log"))
    assert {"worker-0.log", "worker-1.log"} <= {log.name for log in logs}
    for log in logs:
        said = log.read_text(encoding="utf-8")
        assert "Traceback" not in said
        assert "Training goes on" not in said
    after = report(folder)
    assert after.spec_hash == before.spec_hash
    auc = [found.validation["like"]["auc"] for found in (after, before)]
    assert auc[0] == pytest.approx(auc[1], abs=0.03)  # dropout is drawn by each copy


def declare(folder: Path, **topology: object) -> None:
    path = folder / "conf" / "test" / "parameters" / "training.yml"
    declared = yaml.safe_load(path.read_text(encoding="utf-8"))
    declared["training"]["topology"] = topology
    path.write_text(yaml.safe_dump(declared), encoding="utf-8")


def report(folder: Path) -> TrainingReport:
    (path,) = folder.glob("data/08_reporting/runs/*/training.json")
    return TrainingReport.read(path)
