"""Small logs of divided interactions, and what a brute-force look at them says."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from reclife.transforms.split import PARTS

Row = dict[str, Any]
SHOWN, BOUGHT = "shown", "bought"
KEYS = ("user_id", "item_id", "timestamp", "split")
CATEGORIES = ("a", "b", "c", None)
"""Category of the items 0, 1, 2, 3, 0 again and so on; `c` is made rare by `items`."""


def log(seed: int, rows: int = 400, *, timed: bool = True) -> pa.Table:
    """Return random divided events: users 0-7, items 0-39, those from 30 on in test alone.

    Three in four are impressions, the others positives; a fifth shares its second.
    """
    draw = np.random.default_rng(seed)
    times = np.sort(draw.integers(0, rows // 5, rows))
    part = np.searchsorted([int(0.6 * rows), int(0.8 * rows)], np.arange(rows), side="right")
    part = part[np.searchsorted(times, times)]  # one second lies in one part
    users, items = draw.integers(0, 8, rows), draw.integers(0, 30, rows)
    items = np.where((part == 2) & (draw.random(rows) < 0.2), 30 + items % 10, items)
    bought = draw.random(rows) < 0.25
    columns = {
        "user_id": users,
        "item_id": items,
        "timestamp": times,
        "label": bought.astype(float),
        "weight": np.where(bought, 5.0, 2.0),
        "event": np.where(bought, BOUGHT, SHOWN).tolist(),
        "session": [None if d == 0 else int(d) for d in draw.integers(0, 4, rows)],
        "device": draw.choice(["tv", "phone"], rows).tolist(),
        "rating": draw.random(rows),
        "split": [PARTS[number] for number in part],
    }
    table = pa.table(columns)
    keys = np.stack([users, items, times, bought])
    table = table.take(np.sort(np.unique(keys, axis=1, return_index=True)[1]))
    return table if timed else table.drop_columns("timestamp")


def items() -> pa.Table:
    """Return the items 0-39 with their category: a and b common, c on one item, else none."""
    categories = [CATEGORIES[i % 4] if i % 4 < 2 or i == 2 else None for i in range(40)]
    return pa.table({"item_id": np.arange(40), "kind": pa.array(categories, pa.string())})


def category(item: int) -> str | None:
    """Return the category of an item by `items`."""
    return items()["kind"][item].as_py()


def rank(row: Row) -> int:
    """Return the number of the row's part."""
    return PARTS.index(row["split"])


def met_by(rows: Iterable[Row], user: int, part: int) -> set[int]:
    """Return the items that the user has met by the end of the part."""
    return {r["item_id"] for r in rows if r["user_id"] == user and rank(r) <= part}


def training_counts(rows: Iterable[Row]) -> Counter[int]:
    """Return the training events of each item."""
    return Counter(row["item_id"] for row in rows if row["split"] == "train")
