"""AUC and GAUC of ten million scored rows, beside the time of reading them.

The rows are as the evaluation stage leaves them: user, item, time, label, score. `SCALE=full` takes
a hundred million.
"""

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reclife.metrics.classification import auc, auc_and_gauc, gauc
from tests.benchmarks.lines import Line

ROWS = {"small": 10_000_000, "full": 100_000_000}
EVENTS_PER_USER = 50
PART = 10_000_000
REPEATS = 5
NEEDED = ["user_id", "label", "score"]


def measure(scale: str) -> list[Line]:
    """Write the rows, then time reading and measuring in turn; the best of five counts."""
    rows = ROWS[scale]
    users = rows // EVENTS_PER_USER
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scored.parquet"
        _write(path, rows, users)
        table = pq.read_table(path, columns=NEEDED)
        who, labels, scores = (table[name].to_numpy() for name in NEEDED)
        times = _seconds(
            {
                "read_all_columns": lambda: pq.read_table(path),
                "read_user_label_score": lambda: pq.read_table(path, columns=NEEDED),
                "auc": lambda: auc(labels, scores),
                "gauc": lambda: gauc(labels, scores, who, users),
                "auc_and_gauc": lambda: auc_and_gauc(labels, scores, who, users),
            }
        )
    both = times["auc_and_gauc"]
    needed = both / times["read_user_label_score"]
    return [
        Line("metrics", "rows", rows, "rows"),
        *(Line("metrics", name, seconds, "s") for name, seconds in times.items()),
        Line("metrics", "auc_and_gauc_over_reading", both / times["read_all_columns"], "x", 2.0),
        Line("metrics", "auc_and_gauc_over_reading_three_columns", needed, "x", 2.0),
    ]


def _write(path: Path, rows: int, users: int) -> None:
    rng = np.random.default_rng(0)
    with pq.ParquetWriter(path, _part(rng, 0, 1).schema, compression="zstd") as writer:
        for start in range(0, rows, PART):
            writer.write_table(_part(rng, min(PART, rows - start), users))


def _part(rng: np.random.Generator, rows: int, users: int) -> pa.Table:
    chances = rng.beta(2, 5, rows).astype(np.float32)
    return pa.table(
        {
            "user_id": rng.integers(0, users, rows),
            "item_id": rng.integers(0, 1_000_000, rows),
            "timestamp": 1_700_000_000 + np.sort(rng.integers(0, 7 * 86_400, rows)),
            "label": (rng.random(rows) < chances).astype(np.float64),
            "score": chances,
        }
    )


def _seconds(works: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return the best time of each; they take turns, so that what else runs slows all alike."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(REPEATS):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
    return best
