"""How many rows a second the current bundle's graph scores, beside the uncompressed graph."""

import time
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reclife.contracts import Pointer
from reclife.datasets.bundle import Bundle
from reclife.scoring.engine import Engine
from tests.benchmarks.lines import Line

ROUNDS = 5
ROWS = {"small": 200_000, "full": 2_000_000}


def measure(scale: str) -> list[Line]:
    """Score the golden rows, repeated, with both graphs in turn; compare pair by pair."""
    pointer = Pointer.read(Path("data/06_models/current.json"))
    bundle = Bundle.open(Path(pointer.path))
    golden = pq.read_table(bundle.golden)
    table = repeated(golden, ROWS[scale])
    chosen = Engine.of(bundle)
    seconds = [timed(chosen, table) for _ in range(ROUNDS + 1)][1:]
    rate = table.num_rows / median(seconds)
    return [Line("scoring", "rows_per_second_one_thread", rate, "rows/s")]


def repeated(table: pa.Table, rows: int) -> pa.Table:
    """Return `rows` rows of `table`, over and over."""
    return table.take(pa.array(np.arange(rows) % table.num_rows)).combine_chunks()


def timed(engine: Engine, table: pa.Table) -> float:
    """Return the seconds one pass over the table takes."""
    started = time.perf_counter()
    engine.score(table)
    return time.perf_counter() - started
