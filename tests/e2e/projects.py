"""Projects in folders of their own: a copy of this one, run by the commands a user calls."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

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


def environment(**variables: str) -> dict[str, str]:
    """The environment of a user's command: nothing of the tests' own run is in it."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("RECLIFE_")}
    return {**inherited, "KEDRO_DISABLE_TELEMETRY": "1", "COLUMNS": "200", **variables}


def call(
    folder: Path, command: str, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Call `kedro` or `reclife` in `folder` as a user would, in an environment of its own."""
    return subprocess.run(
        [sys.executable, "-m", command, *arguments],
        cwd=folder,
        env=environment(**variables),
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


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start `kedro` in `folder` in a process group of its own, output in a file; end it at last."""
    log = folder / f"output-{uuid4().hex[:6]}.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "kedro", *arguments],
            cwd=folder,
            env=environment(),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a started command and everything that it started, at once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
