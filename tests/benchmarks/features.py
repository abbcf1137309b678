"""The feature engine on a made-up click log, beside jobs written by hand where there are some.

`RECLIFE_BASELINES` names a folder with `features_pyspark.py` and `features_polars.py`: programs
that take `--data`, `--out` and `--repeats`, write the same columns and print one JSON line with
`seconds_median`, `seconds_first` and `peak_rss_mb`; its `check_equal.py` compares two outputs. They
and ours take turns, each in a process of its own, and run once before they are timed.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from tests.benchmarks import features_skew, features_zoo
from tests.benchmarks.click_log import write_click_log
from tests.benchmarks.lines import Line

ROWS = {"small": (1_000_000, 5_000_000), "full": (1_000_000, 5_000_000, 20_000_000)}
COMPARED = 5_000_000
"""The largest size that the rivals run at."""
ROUNDS = {"small": 1, "full": 3}
GROWTH = {5.0: 5.5, 4.0: 4.4}
"""How many times the events -> how many times the seconds at most."""
FOLDER_VARIABLE = "RECLIFE_BASELINES"
OURS = ("-m", "tests.benchmarks.features_job")
CHECK = "check_equal.py"
RIVALS = {
    "spark": ("features_pyspark.py", "pyspark", 1.5, 0),
    "polars": ("features_polars.py", "polars", 1 / 3, COMPARED),
}
"""Rival -> its program, the package it needs, by how much ours is to be faster from how many rows.

Against Polars, which starts no jobs, that is asked at the largest size only.
"""
COUNTED = ("jobs", "scans", "shuffles")

Figures = Mapping[str, float]
Program = tuple[str, ...]


def measure(scale: str) -> list[Line]:
    """Run every size, ours and the rivals in turns, then a skewed log and the full zoo."""
    lines = []
    seconds: dict[int, float] = {}
    with tempfile.TemporaryDirectory(prefix="reclife-bench-") as name:
        folder = Path(name)
        for rows in ROWS[scale]:
            found = _size(folder, rows, ROUNDS[scale] if rows <= COMPARED else 1)
            seconds[rows] = _median(found["ours"], "seconds_median")
            lines += _lines(found, rows)
    return [*lines, *_growth(seconds), *features_skew.measure(), *features_zoo.measure(scale)]


def _size(folder: Path, rows: int, rounds: int) -> dict[str, list[Figures]]:
    """Return per program what it told in each round; the outputs must be equal."""
    data = folder / "log.parquet"
    write_click_log(data, rows)
    programs = {"ours": OURS, **(_rivals() if rows <= COMPARED else {})}
    told: dict[str, list[Figures]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            told[name].append(_run(program, data, folder / name))
    for name in list(programs)[1:]:
        _check_equal(folder / "ours", folder / name)
    for name in programs:
        _remove(folder / name)
    return told


def _lines(told: Mapping[str, Sequence[Figures]], rows: int) -> list[Line]:
    told_of = {"seconds_median": "s", "seconds_first": "s", "peak_rss_mb": "MB"}
    lines = [
        Line("features", f"{name}_{what}_{rows}", _median(figures, what), unit)
        for name, figures in told.items()
        for what, unit in told_of.items()
    ]
    ours = _median(told["ours"], "seconds_median")
    for name in list(told)[1:]:
        ratio = _median(told[name], "seconds_median") / ours
        goal = RIVALS[name][2] if rows >= RIVALS[name][3] else None
        lines.append(Line("features", f"{name}_to_ours_{rows}", ratio, "x", goal, "higher"))
    counted = ((what, told["ours"][-1].get(what)) for what in COUNTED)
    lines += [Line("features", f"{what}_{rows}", n, "") for what, n in counted if n is not None]
    return lines


def _growth(seconds: Mapping[int, float]) -> list[Line]:
    return [
        Line("features", f"growth_{few}_{many}", seconds[many] / seconds[few], "x",
             GROWTH.get(many / few))
        for few, many in pairwise(seconds)
    ]  # fmt: skip


def _median(figures: Sequence[Figures], what: str) -> float:
    return statistics.median(one[what] for one in figures)


def _rivals() -> dict[str, Program]:
    """Return the programs that can run here; the reason why another cannot goes to stderr."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder is None:
        print(f"features: no rivals, {FOLDER_VARIABLE} is not set", file=sys.stderr)  # noqa: T201
        return {}
    found: dict[str, Program] = {}
    for name, (program, package, *_) in RIVALS.items():
        if find_spec(package) is None:
            print(f"features: no {name}, {package} is not installed", file=sys.stderr)  # noqa: T201
        else:
            found[name] = (str(Path(folder) / program),)
    return found


def _run(program: Program, data: Path, out: Path) -> Figures:
    command = [sys.executable, *program, "--data", str(data), "--out", str(out), "--repeats", "1"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: Figures = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


def _check_equal(ours: Path, other: Path) -> None:
    """End the benchmark where the outputs differ: a faster run that does less is no result."""
    check = Path(os.environ[FOLDER_VARIABLE]) / CHECK
    command = [sys.executable, str(check), str(ours), str(other)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    print(f"features: {ours.name} and {other.name}: {done.stdout.strip()}", file=sys.stderr)  # noqa: T201
    if done.returncode:
        raise SystemExit(f"the outputs of {ours.name} and {other.name} differ: {done.stdout}")


def _remove(output: Path) -> None:
    if output.is_dir():
        shutil.rmtree(output)
    else:
        output.unlink(missing_ok=True)
