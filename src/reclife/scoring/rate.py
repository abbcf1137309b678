"""Measures how fast a bundle scores: the graph alone, in this process."""

import time
from pathlib import Path

from reclife.datasets.bundle import Bundle
from reclife.scoring.engine import Engine


def scoring_rate(
    folder: Path, seconds: float = 5.0, threads: int = 1, batch_rows: int = 8192
) -> float:
    """Return rows per second of wall time, the turning of Arrow columns into tensors included.

    Args:
        folder: The bundle.
        seconds: How long to measure, after one batch to warm up.
        threads: Threads of the session.
        batch_rows: Rows of a batch; the golden rows are repeated to fill it.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    bundle = Bundle.open(folder)
    engine = Engine.of(bundle, threads, batch_rows)
    golden = pq.read_table(bundle.golden)
    repeats = -(-batch_rows // golden.num_rows)
    batch = pa.concat_tables([golden] * repeats).slice(0, batch_rows).combine_chunks()
    engine.score(batch)
    rows, started = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        engine.score(batch)
        rows += batch.num_rows
    return rows / elapsed
