"""Projects in folders of their own: a copy of this one, run by the commands a user calls."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

COPIED = ("conf", "pipelines", "pyproject.toml", ".telemetry", "tests/fixtures")


def copy_project(source: Path, target: Path) -> Path:
    """Copy the declarations; the code stays where it is and is linked."""
    for name in COPIED:
        origin, copy = source / name, target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if origin.is_dir():
            shutil.copytree(origin, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(origin, copy)
    (target / "src").mkdir()
    (target / "src" / "reclife").symlink_to(source / "src" / "reclife")
    return target


def call(folder: Path, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call `kedro` or `reclife` in `folder` as a user would, in an environment of its own."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("RECLIFE_")}
    return subprocess.run(
        [sys.executable, "-m", command, *arguments],
        cwd=folder,
        env={**inherited, "KEDRO_DISABLE_TELEMETRY": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def succeed(folder: Path, command: str, *arguments: str) -> str:
    """Call `command` in `folder`, expect exit code 0 and return what it printed."""
    done = call(folder, command, *arguments)
    assert done.returncode == 0, f"{command} {arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout
