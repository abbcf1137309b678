"""Renders each lifecycle with a schedule as an Airflow DAG, through kedro-airflow.

kedro-airflow groups the nodes by stage and finds the edges; the template is ours. Nothing is run,
so neither Java nor TensorFlow is started, and Airflow itself need not be installed.
"""

import sys
from pathlib import Path

from reclife.errors import ConfigError
from reclife.lifecycle import Lifecycle, read_lifecycles

TEMPLATE = Path(__file__).with_name("dag.py.j2")


def render(project: Path, target: Path, env: str) -> list[Path]:
    """Write the DAGs of `project` under `target`, in a folder of their own for each `env`.

    DAGs rendered earlier for the same `env` are replaced, those of unscheduled lifecycles removed.

    Raises:
        ConfigError: no lifecycle has a schedule, or a lifecycle is wrong.
    """
    lifecycles = read_lifecycles(project / "pipelines")
    scheduled = {name: one for name, one in lifecycles.items() if one.schedule}
    if not scheduled:
        raise ConfigError(f"{project / 'pipelines'}: no lifecycle has a schedule")
    folder = target.resolve() / f"reclife_{env}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*_dag.py"):
        old.unlink()
    for name, lifecycle in scheduled.items():
        _create(project, folder, env, name, lifecycle)
    return sorted(folder.glob("*_dag.py"))


def _create(project: Path, folder: Path, env: str, name: str, lifecycle: Lifecycle) -> None:
    """Invoke `kedro airflow create` for one lifecycle."""
    import click
    from kedro.framework.startup import bootstrap_project
    from kedro_airflow.plugin import create

    short = name.strip("_")
    with click.Context(create, obj=bootstrap_project(project)) as context:
        context.invoke(
            create,
            pipeline_names=[name],
            env=env,
            target_path=str(folder),
            jinja_file=TEMPLATE,
            node_grouping="namespace",
            params={
                "dag_id": f"reclife_{env}_{short}",
                "lifecycle": short,
                "description": lifecycle.description,
                "stages": lifecycle.stages,
                "schedule": lifecycle.schedule,
                "retries": lifecycle.retries,
                "tags": lifecycle.tags,
                "project": str(project.resolve()),
                "python": sys.executable,
            },
        )
