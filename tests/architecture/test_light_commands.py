"""Looking at the project needs neither Java nor TensorFlow, and starts no engine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ENGINES = (
    "tensorflow",
    "keras",
    "pyspark",
    "onnxruntime",
    "great_expectations",
    "pandas",
    "pyarrow",
)
WATCHED = """
import sys
from kedro.framework.cli.cli import main
sys.argv = ["kedro", *{arguments!r}]
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
loaded = [name for name in ("tensorflow", "keras", "onnxruntime", "great_expectations", "py4j")
          if name in sys.modules]
print("LOADED", loaded)
"""


def without_java(folder: Path) -> dict[str, str]:
    """Return an environment whose PATH has the basic tools but no Java."""
    kept = folder / "bin"
    kept.mkdir()
    for tool in ("sh", "env", "git", "uname"):
        found = next(
            (Path(place) / tool for place in ("/usr/bin", "/bin") if (Path(place) / tool).exists()),
            None,
        )
        if found:
            (kept / tool).symlink_to(found)
    hidden = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"}
    return hidden | {"PATH": str(kept)}


@pytest.mark.parametrize(
    "arguments", [["registry", "list"], ["catalog", "describe-datasets"]], ids=" ".join
)
def test_it_works_without_java_and_loads_no_engine(
    project: Path, tmp_path: Path, arguments: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED.format(arguments=arguments)],
        cwd=project,
        env=without_java(tmp_path),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "LOADED []" in done.stdout, done.stdout[-2000:]


@pytest.mark.parametrize(
    "module",
    ["reclife.contracts", "reclife.config.root", "reclife.lifecycle", "reclife.errors"],
)
def test_what_every_stage_shares_imports_no_engine(module: str) -> None:
    program = f"import sys, {module}; print([m for m in {ENGINES!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
