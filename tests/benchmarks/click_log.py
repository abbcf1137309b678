"""A made-up click log: popular users and items, whole seconds with ties, numbers with gaps."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SIZES = (4, 8, 20, 50, 120, 500, 2_000, 10_000)
"""Distinct values of the categories."""
NUMBERS = 13
DAYS = 60
TIED = 0.2
"""Share of the events in the second of their user's event before."""
START = 1_700_000_000


def write_click_log(
    path: Path,
    rows: int,
    *,
    hot_item: float = 0.05,
    hot_user: float = 0.0,
    seed: int = 7,
    sizes: Sequence[int] = SIZES,
) -> None:
    """Write `rows` events in the order of time.

    One item has the share `hot_item` on top, and one user the share `hot_user`.
    """
    draw = np.random.default_rng(seed)
    users, items = max(rows // 25, 10), max(rows // 40, 10)
    user = draw.permutation(users)[_popular(draw, users, rows, 2.0)]
    second = START + draw.integers(0, DAYS * 86_400, rows)
    repeats = draw.random(rows) < TIED
    source = np.maximum.accumulate(np.where(repeats, 0, np.arange(rows)))
    user, second = user[source], second[source]
    if hot_user:
        user[draw.random(rows) < hot_user] = 0
    item = draw.permutation(items)[_popular(draw, items, rows, 5.0)]
    item[draw.random(rows) < hot_item] = 0
    click = draw.random(rows) < draw.beta(2, 10, items)[item]
    buy = click & (draw.random(rows) < 0.15)
    order = np.lexsort((draw.random(rows), second))
    table = {
        "event_id": pa.array(np.arange(rows)),
        "user_id": pa.array(user[order] + 1_000_000),
        "item_id": pa.array(item[order] + 5_000_000),
        "ts": pa.array(second[order]),
        "event": pa.array(["view", "click", "buy"]).take((click * 1 + buy * 1)[order]),
    }
    for number, size in enumerate(sizes, 1):
        names = pa.array([f"c{number}_{value}" for value in range(size)])
        table[f"cat{number}"] = names.take(_popular(draw, size, rows, 4.0))
    for number in range(1, NUMBERS + 1):
        values = np.exp(draw.normal(size=rows)).astype(np.float32)
        table[f"num{number}"] = pa.array(values, mask=draw.random(rows) < 0.03 * number)
    pq.write_table(pa.table(table), path, row_group_size=2**18)


def _popular(draw: np.random.Generator, size: int, rows: int, skew: float) -> np.ndarray:
    """Return ranks below `size`, the low ones most often: size u^skew for u even in [0, 1)."""
    return (size * draw.random(rows) ** skew).astype(np.int64)
