"""Parameter servers of this machine against one process: speed, bytes, and larger clusters."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.click_rows import write_click_rows
from tests.benchmarks.lines import Line
from tests.benchmarks.simulation import Costs, Machines, Measured, simulate

PART = "parameter_server"
ROWS = {"small": 200_000, "full": 1_000_000}
TEST_ROWS = 200_000
WIRES: tuple[dict[str, str], ...] = (
    {},
    {"pull": "int8", "push": "int8"},
    {"pull": "int8", "push": "int4"},
    {"pull": "int8", "push": "top_k"},
)
DATASET_ROWS = 1e11
CLUSTERS = ((10, 4, 1), (100, 16, 1), (100, 16, 8), (1000, 64, 8), (1000, 128, 64))
"""Workers, servers and batches of a unit of work."""
JOINED = 8
"""Batches of a unit of work where its cost is told from that of a batch."""
LARGER = 10
"""By how much the tables are larger, for the same ids, where it must not matter."""


def measure(scale: str) -> list[Line]:
    """Train on 1e6 ids with every wire, then once with larger tables, batches or units of work."""
    rows = ROWS[scale]
    with tempfile.TemporaryDirectory() as folder:
        plain, *more = job(Path(folder), rows, 1_000_000, "--local", "--wires", json.dumps(WIRES))
        (larger,) = job(Path(folder), rows, 1_000_000, "--larger", str(LARGER))
        (quarter,) = job(Path(folder), rows // 4, 1_000_000, "--batch", "1024")
        unit = ("--batches-per-unit", str(JOINED))
        (joined,) = job(Path(folder), rows, 1_000_000, *unit)
        (fetched,) = job(Path(folder), rows, 1_000_000, *unit, "--prefetch")
    costs = Costs.fitted(step(quarter), step(plain), step(joined, JOINED))
    return [
        *compared([plain, *more]),
        *fewer([plain, joined, fetched], more[-1]),
        *sizes(plain, larger),
        *simulated(costs, plain["unique_rows"], plain["batch"]),
    ]


def job(folder: Path, rows: int, ids: int, *options: str) -> list[dict[str, Any]]:
    """Return the figures of trainings in a network of their own, if that may be had."""
    train, test = folder / f"train-{rows}-{ids}.parquet", folder / f"test-{ids}.parquet"
    if not train.exists():
        write_click_rows(train, rows, ids)
    if not test.exists():
        write_click_rows(test, TEST_ROWS, ids, stream=1)
    apart = ["unshare", "--net"]
    if subprocess.run([*apart, "true"], check=False, capture_output=True).returncode:
        apart = []
    module = [sys.executable, "-m", "tests.benchmarks.parameter_server_job"]
    done = subprocess.run(
        [*apart, *module, "--data", str(train), "--test", str(test), *options],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def compared(found: list[dict[str, Any]]) -> list[Line]:
    """Return speed against one process, and each wire against the plain one."""
    plain, *wires, alone = found
    speed = plain["rows_per_s"] / alone["rows_per_s"]
    difference = abs(plain["auc"][1] - alone["auc"][1])
    lines = [
        Line(PART, "rows/s, 1 worker and 1 server over local", speed, "", 0.6, "higher"),
        Line(PART, "AUC, difference to local", difference, "", 0.002),
    ]
    for one in wires:
        name = one["topology"].rpartition(" ")[2]
        goal = 0.4 if name == "int8/int8" else 0.3
        share = one["bytes_per_step"] / plain["bytes_per_step"]
        difference = abs(one["auc"][1] - plain["auc"][1])
        speed = one["rows_per_s"] / plain["rows_per_s"]
        lines += [
            Line(PART, f"bytes, {name} over none/none", share, "", goal),
            Line(PART, f"AUC, difference of {name}", difference, "", 0.001),
            Line(PART, f"rows/s, {name} over none/none", speed, ""),
        ]
    return lines


def fewer(found: list[dict[str, Any]], alone: dict[str, Any]) -> list[Line]:
    """Return what larger units of work, and rows pulled ahead, change."""
    names = (f"{JOINED} batches a unit", f"{JOINED} batches a unit, prefetch")
    plain, *others = found
    lines = []
    for name, one in zip(names, others, strict=True):
        speed = one["rows_per_s"] / alone["rows_per_s"]
        difference = abs(one["auc"][1] - plain["auc"][1])
        lines += [
            Line(PART, f"rows/s, {name} over local", speed, ""),
            Line(PART, f"AUC, difference of {name}", difference, "", 0.002),
        ]
    return lines


def sizes(plain: dict[str, Any], larger: dict[str, Any]) -> list[Line]:
    """Return the bytes of a step, and what larger tables add for the same ids."""
    growth = larger["bytes_per_step"] / plain["bytes_per_step"]
    return [
        Line(PART, f"bytes a step, {plain['unique_rows']} distinct", plain["bytes_per_step"], "B"),
        Line(PART, f"bytes a step, tables {LARGER} times as large", growth, "x", 1.01),
    ]


def simulated(costs: Costs, unique_rows: float, batch: int) -> list[Line]:
    """Return what larger clusters would do with the costs of a step measured here."""
    lines = [
        Line(PART, "cost of a step, worker", 1e3 * costs.worker_seconds, "ms"),
        Line(PART, "cost of a step, server, fixed", 1e3 * costs.server_seconds, "ms"),
        Line(PART, "cost of a distinct row, server", 1e6 * costs.server_row_seconds, "us"),
        Line(PART, "cost of a unit, chief", 1e3 * costs.chief_seconds, "ms"),
        Line(PART, "cost of a step, chief", 1e3 * costs.chief_step_seconds, "ms"),
        Line(PART, "bytes of a step, fixed", costs.bytes_dense, "B"),
        Line(PART, "bytes of a distinct row", costs.bytes_row, "B"),
    ]
    for cluster in CLUSTERS:
        outcome = simulate(costs, Machines(*cluster), unique_rows)
        rate = outcome.steps_per_second * batch
        name = "{} workers, {} servers, {} batches a unit".format(*cluster)
        busy = 100 * outcome.busy[outcome.limit]
        lines += [
            Line(PART, f"simulated, {name}: rows/s", rate, ""),
            Line(PART, f"simulated, {name}: 1e11 rows", DATASET_ROWS / rate / 3600, "h"),
            Line(PART, f"simulated, {name}: {outcome.limit} busy", busy, "%"),
        ]
    return lines


def step(found: dict[str, Any], batches_per_unit: int = 1) -> Measured:
    """Return what a step was measured to cost."""
    spent = {role: ms / 1000 for role, ms in found["cpu_ms"].items()}
    return Measured(
        worker_seconds=spent["worker"],
        server_seconds=spent["ps"],
        chief_seconds=spent["chief"],
        bytes=found["bytes_per_step"],
        unique_rows=found["unique_rows"],
        batches_per_unit=batches_per_unit,
    )
