"""Training of DeepFM on made-up click rows, beside programs written by hand where there are some.

`RECLIFE_BASELINES` names a folder with `train_keras.py` and `train_torch.py`: programs that take
`--data`, `--test` and `--optimizer`, train the same model and print one JSON line with
`rows_per_s` and `auc`; `RECLIFE_BASELINES_PYTHON` the interpreter that has PyTorch, if it is
another one. They and ours take turns, each in a process of its own.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
import pyarrow.parquet as pq

from tests.benchmarks.click_rows import CATEGORIES, write_click_rows
from tests.benchmarks.lines import Line
from tests.benchmarks.memory import rows_per_second

IDS = {"small": (10_000, 1_000_000), "full": (10_000, 1_000_000, 10_000_000, 30_000_000)}
ROUNDS = {"small": 1, "full": 3}
TRAIN_ROWS, TEST_ROWS, BATCH = 450_560, 65_536, 4096
FOLDER_VARIABLE, PYTHON_VARIABLE = "RECLIFE_BASELINES", "RECLIFE_BASELINES_PYTHON"
OPTIMIZERS = {"adam": "lazy_adam", "adagrad": "adagrad"}
"""Name that the rivals have for it -> ours."""
SLOTS = {"adam": 2, "adagrad": 1}
GOALS = {
    ("adam", "keras", 1_000_000): 1.5,
    ("adam", "keras", 10_000_000): 15.0,
    ("adagrad", "keras", 1_000_000): 1.3,
    ("adagrad", "keras", 10_000_000): 3.0,
    ("adam", "torch", 1_000_000): 1.0,
    ("adagrad", "torch", 1_000_000): 1.0,
}
"""(optimiser, rival, ids) -> by how much ours is to be faster."""
TOO_LARGE = {("keras", 30_000_000)}
"""What would take minutes a step or more memory than most machines have."""
GROWTH_GOALS = {"skewed": 1.3, "uniform": 3.0}
WAITING_GOAL = 0.05

Figures = Mapping[str, Any]


@final
class Data(NamedTuple):
    """Rows to train on and rows held out, over `ids` ids."""

    ids: int
    train: Path
    test: Path

    @classmethod
    def write(cls, folder: Path, ids: int, *, uniform: bool = False) -> "Data":
        """Write both files."""
        name = f"{'uniform' if uniform else 'skewed'}_{ids}"
        data = cls(ids, folder / f"{name}.parquet", folder / f"{name}_test.parquet")
        write_click_rows(data.train, TRAIN_ROWS, ids, uniform=uniform)
        write_click_rows(data.test, TEST_ROWS, ids, stream=1, uniform=uniform)
        return data

    def distinct_a_batch(self) -> float:
        """Return the distinct ids of a batch, all columns together; the mean of eight batches."""
        table = pq.read_table(self.train, columns=list(CATEGORIES))
        batches = [table.slice(i * BATCH, BATCH) for i in range(8)]
        counts = [sum(len(np.unique(b[c].to_numpy())) for c in CATEGORIES) for b in batches]
        return statistics.mean(counts)


def measure(scale: str) -> list[Line]:
    """Train every size with both optimisers, ours and the rivals in turns."""
    lines: list[Line] = []
    steps: dict[str, dict[int, float]] = {"skewed": {}, "uniform": {}}
    with tempfile.TemporaryDirectory(prefix="reclife-bench-") as folder:
        for ids in IDS[scale]:
            data = Data.write(Path(folder), ids)
            for optimizer in OPTIMIZERS:
                found, figures = _size(data, optimizer, ROUNDS[scale])
                lines += found
                if optimizer == "adagrad":
                    steps["skewed"][ids] = figures["ms_per_step"]
        for ids in (10_000, 10_000_000) if scale == "full" else ():
            data = Data.write(Path(folder), ids, uniform=True)
            steps["uniform"][ids] = _ours(data, "adagrad")["ms_per_step"]
    return lines + [line for name, found in steps.items() for line in _growth(name, found)]


def _size(data: Data, optimizer: str, rounds: int) -> tuple[list[Line], Figures]:
    programs = {"ours": (sys.executable, "-m", "tests.benchmarks.training_job"), **_rivals(data)}
    found: dict[str, list[Figures]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            called = OPTIMIZERS[optimizer] if name == "ours" else optimizer
            found[name].append(_run(program, data, called))
    rates = {n: statistics.median(f["rows_per_s"] for f in runs) for n, runs in found.items()}
    label = f"{optimizer}_{data.ids}"
    lines = [Line("training", f"{n}_{label}", rates[n], "rows/s", better="higher") for n in rates]
    lines += [Line("training", f"{n}_auc_{label}", f[0]["auc"], "") for n, f in found.items()]
    for name in list(programs)[1:]:
        goal = GOALS.get((optimizer, name, data.ids))
        ratio = rates["ours"] / rates[name]
        lines.append(Line("training", f"ours_to_{name}_{label}", ratio, "x", goal, "higher"))
    fastest = min(found["ours"], key=lambda figures: figures["ms_per_step"])
    waiting = fastest["waiting_share"]
    lines.append(Line("training", f"waiting_{label}", waiting, "of the time", WAITING_GOAL))
    bound = data.distinct_a_batch() * (1 + SLOTS[optimizer]) / rows_per_second() * 1000
    share = bound / fastest["ms_per_step"]
    lines.append(Line("training", f"memory_bound_{label}", share, "of a step", better="higher"))
    return lines, fastest


def _growth(name: str, steps: Mapping[int, float]) -> list[Line]:
    if 10_000_000 not in steps:
        return []
    ratio = steps[10_000_000] / steps[10_000]
    return [Line("training", f"step_1e7_to_1e4_{name}", ratio, "x", GROWTH_GOALS[name])]


def _ours(data: Data, optimizer: str) -> Figures:
    return _run((sys.executable, "-m", "tests.benchmarks.training_job"), data, optimizer)


def _rivals(data: Data) -> dict[str, tuple[str, ...]]:
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder is None:
        print(f"training: no rivals, {FOLDER_VARIABLE} is not set", file=sys.stderr)  # noqa: T201
        return {}
    pythons = {
        "keras": sys.executable,
        "torch": os.environ.get(PYTHON_VARIABLE, sys.executable),
    }
    return {
        name: (python, str(Path(folder) / f"train_{name}.py"))
        for name, python in pythons.items()
        if (name, data.ids) not in TOO_LARGE
    }


def _run(program: tuple[str, ...], data: Data, optimizer: str) -> Figures:
    options = ["--data", str(data.train), "--test", str(data.test), "--optimizer", optimizer]
    done = subprocess.run([*program, *options], check=True, capture_output=True, text=True)
    figures: Figures = json.loads(done.stdout.strip().splitlines()[-1])
    return figures
