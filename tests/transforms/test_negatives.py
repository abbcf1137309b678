"""Negatives are items that the user has not met by then, the same in every run."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.features import UniformNegatives
from reclife.transforms.negatives import draw_negatives

CONFIG = UniformNegatives(kind="uniform", per_positive=3, seed=5)
KNOWN = pa.array(np.arange(15, dtype=np.int64))
KEYS = [(name, "ascending") for name in ("user_id", "_moment", "item_id")]


def positives_of(events: pa.Table) -> pa.Table:
    renamed = events.rename_columns(["user_id", "item_id", "_moment", "rating", "label"])
    return renamed.set_column(4, "label", pa.array(np.ones(events.num_rows)))


@pytest.mark.parametrize("seed", range(3))
def test_drawn_items_are_known_unmet_and_distinct(
    make_world: Callable[..., Any], seed: int
) -> None:
    rows = positives_of(make_world(seed).events)
    drawn = draw_negatives(rows, rows, KNOWN, CONFIG)
    events = rows.to_pylist()
    seen = Counter()
    for row in drawn.to_pylist():
        assert row["label"] == 0
        assert row["rating"] is None
        assert row["item_id"] in range(15)
        met = {
            e["item_id"]
            for e in events
            if e["user_id"] == row["user_id"] and e["_moment"] <= row["_moment"]
        }
        assert row["item_id"] not in met
        seen[row["user_id"], row["_moment"], row["item_id"]] += 1
    assert set(seen.values()) == {1}
    assert {(u, t) for u, t, _ in seen} <= {(e["user_id"], e["_moment"]) for e in events}
    assert 2 * rows.num_rows < drawn.num_rows <= 3 * rows.num_rows


def test_the_draw_follows_the_row_and_the_seed_only(make_world: Callable[..., Any]) -> None:
    rows = positives_of(make_world(1).events)
    turned = rows.take(np.arange(rows.num_rows)[::-1])
    first, second = (
        draw_negatives(part, rows, KNOWN, CONFIG).sort_by(KEYS) for part in (rows, turned)
    )
    assert first.equals(second)
    other = draw_negatives(rows, rows, KNOWN, UniformNegatives(kind="uniform", seed=6))
    assert not other.sort_by(KEYS).equals(first)


def test_items_are_drawn_evenly() -> None:
    rows = pa.table(
        {
            "user_id": np.arange(9000),
            "item_id": np.full(9000, 77),
            "_moment": np.zeros(9000, np.int64),
            "label": np.ones(9000),
        }
    )
    drawn = draw_negatives(rows, rows, KNOWN, CONFIG)
    counts = np.bincount(drawn["item_id"].to_numpy(), minlength=15)
    expected = 9000 * 3 / 15
    assert np.abs(counts - expected).max() < 5 * np.sqrt(expected)  # five standard deviations


def test_a_user_who_has_met_everything_gets_none() -> None:
    rows = pa.table(
        {"user_id": [1] * 15, "item_id": range(15), "_moment": [0] * 15, "label": [1.0] * 15}
    )
    assert draw_negatives(rows, rows, KNOWN, CONFIG).num_rows == 0


def test_spark_draws_the_same_without_times(spark: Any, make_world: Callable[..., Any]) -> None:
    """Without times a row's moment is the rank of its part: test items may be drawn for train."""
    from reclife.transforms.negatives import known_items, with_negatives

    table = make_world(4).events.select(["user_id", "item_id", "label"])
    parts = pa.array([("train", "validation", "test")[i % 3] for i in range(table.num_rows)])
    table = table.set_column(2, "label", pa.array(np.ones(table.num_rows)))
    divided = spark.createDataFrame(table.append_column("split", parts))
    known = known_items(divided)
    train = [r for r in divided.collect() if r["split"] == "train"]
    assert known.to_pylist() == sorted({row["item_id"] for row in train})
    results = [
        sorted(map(tuple, with_negatives(divided.repartition(n), known, CONFIG).collect()))
        for n in (1, 4)
    ]
    assert results[0] == results[1]
    rank = {"train": 0, "validation": 1, "test": 2}
    positives = [row for row in results[0] if row[2] == 1]
    negatives = [row for row in results[0] if row[2] == 0]
    assert len(positives) == table.num_rows
    assert negatives
    met = {
        (u, i): min(rank[s] for v, j, _, s in positives if (v, j) == (u, i))
        for u, i, _, _ in positives
    }
    assert all(met.get((u, i), 3) > rank[s] for u, i, _, s in negatives)
    assert any(met.get((u, i), 0) > rank[s] for u, i, _, s in negatives)
