"""`python -m reclife.airflow`: render the scheduled lifecycles as Airflow DAGs."""

import argparse
import sys
from pathlib import Path

from reclife.airflow.render import render
from reclife.errors import ReclifeError
from reclife.runtime.project import project_path


def main() -> None:
    """Render into the folder given, `build/airflow/dags` by default."""
    parser = argparse.ArgumentParser(prog="python -m reclife.airflow", description=__doc__)
    parser.add_argument("--env", default="local", help="folder of conf/ that the DAGs run with")
    parser.add_argument("--target", type=Path, help="folder to write to")
    arguments = parser.parse_args()
    project = project_path().resolve()
    target = arguments.target or project / "build" / "airflow" / "dags"
    try:
        render(project, target, arguments.env)
    except ReclifeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
