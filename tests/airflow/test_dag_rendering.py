"""Lifecycles become DAGs without Java, TensorFlow or Airflow."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reclife.airflow.render import render
from reclife.errors import ConfigError
from reclife.lifecycle import read_lifecycles

PROGRAM = """
import sys
from pathlib import Path
from reclife.airflow.render import render
render(Path({project!r}), Path({target!r}), "local")
context = sys.modules.get("pyspark.core.context")
assert context is None or context.SparkContext._gateway is None, "a JVM was started"
print("LOADED", [m for m in ("tensorflow", "keras", "py4j", "airflow") if m in sys.modules])
"""


@pytest.fixture(scope="module")
def folder(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Render where no Java can be found."""
    target = tmp_path_factory.mktemp("dags")
    stale = target / "reclife_local" / "reclife_gone_dag.py"
    stale.parent.mkdir()
    stale.write_text("")
    hidden = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(project=str(project), target=str(target))],
        cwd="/",
        env=hidden | {"PATH": "/nowhere"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "LOADED []" in done.stdout
    return stale.parent


def test_each_scheduled_lifecycle_is_one_dag(project: Path, folder: Path) -> None:
    lifecycles = read_lifecycles(project / "pipelines")
    scheduled = {f"reclife_local_{n.strip('_')}" for n, one in lifecycles.items() if one.schedule}
    sources = [path.read_text() for path in folder.glob("*.py")]
    assert len(sources) == len(scheduled)
    for source in sources:
        assert isinstance(ast.parse(source), ast.Module)
        assert str(project) in source
    assert {name for name in scheduled if any(f'"{name}"' in s for s in sources)} == scheduled


def test_a_lifecycle_without_a_schedule_is_no_dag(tmp_path: Path) -> None:
    (tmp_path / "pipelines").mkdir()
    (tmp_path / "pipelines" / "now.yml").write_text("{description: Once., stages: [ingest]}")
    with pytest.raises(ConfigError, match="no lifecycle has a schedule"):
        render(tmp_path, tmp_path / "dags", "local")
