"""The real Airflow imports the DAGs, sees the lifecycle's graph and runs its commands."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reclife.lifecycle import read_lifecycles, stage_pipelines

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("airflow") is None, reason="the airflow group is not installed"
    ),
]
INSPECT = """
import json, sys
from airflow.dag_processing.dagbag import DagBag
bag = DagBag(dag_folder=sys.argv[1])
dags = {
    dag.dag_id: {
        "tasks": {task.task_id: sorted(task.upstream_task_ids) for task in dag.tasks},
        "retries": sorted({task.retries for task in dag.tasks}),
        "schedule": str(dag.schedule),
        "catchup": dag.catchup,
        "max_active_runs": dag.max_active_runs,
        "params": dag.params.dump(),
    }
    for dag in bag.dags.values()
}
print("RESULT" + json.dumps({"errors": bag.import_errors, "dags": dags}))
"""
RECORDER = """#!/bin/sh
echo "$STAGE|$RECLIFE_RUN_ID|$(pwd)|$*" >> "$RECORD"
"""


@pytest.fixture(scope="module")
def airflow(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Render the DAGs and prepare an Airflow of our own: no examples, SQLite, nothing running."""
    home = tmp_path_factory.mktemp("airflow")
    dags = home / "dags"
    subprocess.run(
        [sys.executable, "-m", "reclife.airflow", "--target", str(dags)],
        cwd=project,
        check=True,
        timeout=180,
    )
    recorder = home / "python"
    recorder.write_text(RECORDER)
    recorder.chmod(0o755)
    environment = os.environ | {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "RECLIFE_PYTHON": str(recorder),
        "RECORD": str(home / "record"),
    }
    command(environment, "-m", "airflow", "db", "migrate")
    return environment


def command(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def imported(airflow: dict[str, str]) -> dict[str, Any]:
    output = command(airflow, "-c", INSPECT, airflow["AIRFLOW__CORE__DAGS_FOLDER"])
    found: dict[str, Any] = json.loads(output.rsplit("RESULT", 1)[1])
    return found


def task_graph(stages: tuple[str, ...]) -> dict[str, list[str]]:
    """Return, for each stage, the one before it and the earlier ones whose datasets it reads."""
    before = dict(zip(stages[1:], stages, strict=False))
    pipelines = {s: p for s, p in stage_pipelines().items() if s in stages}
    plain = {
        stage: (
            {name.split("@")[0] for name in pipeline.inputs()},
            {name.split("@")[0] for name in pipeline.all_outputs()},
        )
        for stage, pipeline in pipelines.items()
    }
    return {
        stage: sorted(
            other
            for other, (_, written) in plain.items()
            if other != stage and (read & written or other == before.get(stage))
        )
        for stage, (read, _) in plain.items()
    }


def test_task_graph_equals_the_lifecycle(project: Path, imported: dict[str, Any]) -> None:
    assert imported["errors"] == {}
    lifecycles = read_lifecycles(project / "pipelines")
    scheduled = {name: one for name, one in lifecycles.items() if one.schedule}
    assert set(imported["dags"]) == {f"reclife_local_{name.strip('_')}" for name in scheduled}
    for name, lifecycle in scheduled.items():
        dag = imported["dags"][f"reclife_local_{name.strip('_')}"]
        assert dag["tasks"] == task_graph(lifecycle.stages)
        assert dag["retries"] == [lifecycle.retries]
        assert dag["schedule"] == lifecycle.schedule
        assert (dag["catchup"], dag["max_active_runs"]) == (False, 1)
        assert dag["params"]["env"] == "local"


def test_stages_of_a_dag_run_share_one_run_id(project: Path, airflow: dict[str, str]) -> None:
    day = {"as_of": "2016-10-01"}
    dag = "reclife_local_rescore"
    command(airflow, "-m", "airflow", "dags", "test", dag, "2026-11-30", "--conf", json.dumps(day))
    lines = Path(airflow["RECORD"]).read_text().splitlines()
    stages, run_ids, folders, commands = zip(*(line.split("|") for line in lines), strict=True)
    assert stages == read_lifecycles(project / "pipelines")["rescore"].stages
    assert len(set(run_ids)) == 1
    assert run_ids[0].startswith("rescore-manual__")
    assert set(folders) == {str(project)}
    assert commands == tuple(
        f"-m kedro run --pipelines {stage} --env local --params scoring.as_of=2016-10-01"
        for stage in stages
    )


def test_a_trigger_value_of_the_wrong_type_is_refused(airflow: dict[str, str]) -> None:
    program = (
        "import sys; from airflow.dag_processing.dagbag import DagBag;"
        "bag = DagBag(dag_folder=sys.argv[1]);"
        "bag.dags['reclife_local_rescore'].params['as_of'] = 'yesterday'"
    )
    with pytest.raises(AssertionError, match="ParamValidationError"):
        command(airflow, "-c", program, airflow["AIRFLOW__CORE__DAGS_FOLDER"])
