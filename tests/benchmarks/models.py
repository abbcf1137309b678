"""Every kind of model on one made-up shape, and the models of histories on a long one.

Each in a process of its own: what one compiles and holds does not weigh on the next.
"""

import json
import subprocess
import sys
from collections.abc import Mapping

from tests.benchmarks.lines import Line

ROWS = {"small": 16_384, "full": 131_072}
LONG = ("din", "bst", "sim")
LENGTH, LONG_ROWS, LONG_BATCH = 1_000, 1_024, 64
ABOVE = {"training": 3.0, "scoring": 3.0}
"""How many times faster than full attention the search in a long history is to be."""


def measure(scale: str) -> list[Line]:
    """Measure rates, then rates and memory at a long history."""
    from reclife.models import BUILDERS

    lines = []
    for kind in sorted(BUILDERS.keys() - {"custom"}):
        lines += _lines(kind, _job(kind, "--rows", str(ROWS[scale])), ("training", "scoring"))
    long = {}
    for kind in LONG:
        sizes = ("--length", LENGTH, "--rows", LONG_ROWS, "--batch", LONG_BATCH)
        long[kind] = _job(kind, *map(str, sizes))
        lines += _lines(f"{kind}_{LENGTH}", long[kind], ("training", "scoring", "memory"))
    for rival in ("din", "bst"):
        for what, goal in ABOVE.items():
            ratio = long["sim"][what] / long[rival][what]
            lines.append(
                Line("models", f"sim_to_{rival}_{LENGTH}_{what}", ratio, "x", goal, "higher")
            )
    return lines


def _lines(name: str, figures: Mapping[str, float], wanted: tuple[str, ...]) -> list[Line]:
    units = {"training": "rows/s", "scoring": "rows a processor second", "memory": "MB"}
    return [
        Line(
            "models",
            f"{name}_{what}",
            figures[what],
            units[what],
            better="lower" if what == "memory" else "higher",
        )
        for what in wanted
    ]


def _job(kind: str, *options: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.models_job", "--kind", kind, *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures
