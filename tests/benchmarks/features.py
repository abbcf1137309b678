"""The feature engine on a made-up click log, beside jobs written by hand where there are some.

`RECLIFE_BASELINES` names a folder with `features_pyspark.py` and `features_polars.py`: programs
that take `--data`, `--out` and `--repeats`, write the same columns and print one JSON line with
`seconds_median`. They and ours take turns, each in a process of its own.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tests.benchmarks.click_log import write_click_log
from tests.benchmarks.lines import Line

ROWS = {"small": (200_000,), "full": (1_000_000, 5_000_000)}
ROUNDS = {"small": 1, "full": 3}
FOLDER_VARIABLE = "RECLIFE_BASELINES"
OURS = ("-m", "tests.benchmarks.features_job")
RIVALS = {
    "spark": ("features_pyspark.py", "pyspark", 1.5),
    "polars": ("features_polars.py", "polars", 1 / 3),
}
"""Rival -> its program, the package it needs and by how much ours is to be faster."""


def measure(scale: str) -> list[Line]:
    """Run every size, ours and the rivals in turns."""
    with tempfile.TemporaryDirectory(prefix="reclife-bench-") as folder:
        lines = []
        for rows in ROWS[scale]:
            data = Path(folder) / f"log_{rows}.parquet"
            write_click_log(data, rows)
            lines += _size(data, rows, ROUNDS[scale])
        return lines


def _size(data: Path, rows: int, rounds: int) -> list[Line]:
    programs = {"ours": OURS, **_rivals()}
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            seconds[name].append(_seconds(program, data, data.with_suffix(f".{name}")))
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    lines = [Line("features", f"{name}_{rows}", medians[name], "s") for name in programs]
    for name in list(programs)[1:]:
        ratio = medians[name] / medians["ours"]
        goal = RIVALS[name][2]
        lines.append(Line("features", f"{name}_to_ours_{rows}", ratio, "x", goal, "higher"))
    return lines


def _rivals() -> dict[str, tuple[str, ...]]:
    """Return the programs that can run here; the reason why another cannot goes to stderr."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder is None:
        print(f"features: no rivals, {FOLDER_VARIABLE} is not set", file=sys.stderr)  # noqa: T201
        return {}
    found = {}
    for name, (program, package, _) in RIVALS.items():
        if find_spec(package) is None:
            print(f"features: no {name}, {package} is not installed", file=sys.stderr)  # noqa: T201
        else:
            found[name] = (str(Path(folder) / program),)
    return found


def _seconds(program: tuple[str, ...], data: Path, out: Path) -> float:
    command = [sys.executable, *program, "--data", str(data), "--out", str(out), "--repeats", "1"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    return float(figures["seconds_median"])
