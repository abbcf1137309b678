"""Drawn items: unmet, from the training part, as often as declared, with that probability."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms.sampling import logs
from tests.transforms.sampling.conftest import Draw

from reclife.config.negatives import PopularityNegatives, UniformNegatives
from reclife.transforms.sampling.items import ItemSampler
from reclife.transforms.sampling.pool import AllItems, weighted

KINDS: list[dict[str, Any]] = [
    {"kind": "uniform", "per_positive": 3},
    {"kind": "popularity", "alpha": 0.75, "per_positive": 3},
    {
        "kind": "same_category",
        "column": "kind",
        "alpha": 0.5,
        "min_items": 3,
        "otherwise": "all_items",
    },
    {"kind": "same_category", "column": "kind", "alpha": 0.0, "min_items": 3, "otherwise": "none"},
]


def pool_of(row: dict[str, Any], declared: dict[str, Any], rows: list[Any]) -> dict[int, float]:
    """Return what a positive draws from, by brute force: item -> weight; met ones included."""
    weights = {i: n ** declared.get("alpha", 0.0) for i, n in logs.training_counts(rows).items()}
    if declared["kind"] != "same_category":
        return weights
    own = logs.category(row["item_id"])
    same = {i: w for i, w in weights.items() if own is not None and logs.category(i) == own}
    if len(same) >= declared["min_items"]:
        return same
    return weights if declared["otherwise"] == "all_items" else {}


@pytest.mark.parametrize("declared", KINDS)
@pytest.mark.parametrize("timed", [True, False])
def test_items_and_probabilities_are_those_of_the_declaration(
    drawn: Draw, declared: dict[str, Any], timed: bool
) -> None:
    table = logs.log(11, timed=timed)
    rows = table.to_pylist()
    moments: dict[Any, list[Any]] = {}
    for row in rows:
        if row["label"] == 1:
            moments.setdefault((row["user_id"], row.get("timestamp"), row["split"]), []).append(row)
    real = {(r["user_id"], r["item_id"], r["label"]) for r in rows}
    seen: Counter[Any] = Counter()
    for row in drawn(table, declared):
        if row["label"] == 1 or (row["user_id"], row["item_id"], 0.0) in real:
            continue
        moment = (row["user_id"], row.get("timestamp"), row["split"])
        met = logs.met_by(rows, row["user_id"], logs.rank(row))
        assert row["item_id"] not in met
        chances = []
        for positive in moments[moment]:
            pool = pool_of(positive, declared, rows)
            left = sum(weight for item, weight in pool.items() if item not in met)
            chances.append(pool.get(row["item_id"], 0.0) / left if left else 0.0)
        assert min(abs(row["sampling_probability"] - chance) for chance in chances) < 1e-6
        assert row["weight"] == 1.0
        assert row["event"] is row["rating"] is row["session"] is None
        assert row["device"] in {positive["device"] for positive in moments[moment]}
        seen[moment, row["item_id"]] += 1
    assert set(seen.values()) == {1}
    wanted = sum(bool(pool_of(p, declared, rows)) for group in moments.values() for p in group)
    assert 0.5 * wanted < sum(seen.values()) <= wanted * declared.get("per_positive", 4)


def positives(count: int) -> pa.Table:
    """Return one positive each of `count` users, with an item outside the pool."""
    return pa.table(
        {
            "user_id": np.arange(count),
            "item_id": np.full(count, 77),
            "timestamp": np.zeros(count, np.int64),
            "label": np.ones(count),
            "split": ["train"] * count,
            "_part": np.zeros(count, np.int64),
            "_tie": np.arange(count),
        }
    )


@pytest.mark.parametrize("alpha", [0.0, 0.75, 1.0])
def test_items_are_drawn_as_often_as_their_probability_says(alpha: float) -> None:
    """First draws against the formula, item by item, within five standard deviations."""
    counts = np.array([1, 2, 4, 8, 16, 32, 64, 128, 3, 500])
    pool = weighted(pa.array(np.arange(10)), counts, alpha)
    config = PopularityNegatives(kind="popularity", alpha=alpha, per_positive=1, seed=3)
    rows = positives(60_000)
    drawn = ItemSampler(pool, AllItems(pool), config, ()).draw(rows, rows)
    expected = counts**alpha / (counts**alpha).sum()
    found = np.bincount(drawn["item_id"].to_numpy(), minlength=10) / 60_000
    assert (np.abs(found - expected) < 5 * np.sqrt(expected * (1 - expected) / 60_000)).all()
    told = drawn["sampling_probability"].to_numpy()
    assert told == pytest.approx(expected[drawn["item_id"].to_numpy()], rel=1e-6)


def test_probabilities_are_those_of_what_the_user_has_not_met() -> None:
    """A user who has met half of the pool draws the other half, twice as likely each."""
    pool = weighted(pa.array(np.arange(10)), np.ones(10, np.int64), 0.0)
    rows = positives(20_000)
    met = pa.table(
        {
            "user_id": np.repeat(np.arange(20_000), 5),
            "item_id": np.tile(np.arange(5), 20_000),
            "_part": np.zeros(100_000, np.int64),
        }
    )
    config = UniformNegatives(kind="uniform", per_positive=1)
    drawn = ItemSampler(pool, AllItems(pool), config, ()).draw(rows, met)
    counts = np.bincount(drawn["item_id"].to_numpy(), minlength=10)
    assert counts[:5].sum() == 0
    assert np.abs(counts[5:] - 4000).max() < 5 * np.sqrt(20_000 * 0.2 * 0.8)
    assert drawn["sampling_probability"].to_numpy() == pytest.approx(0.2)


def test_what_is_met_in_a_later_part_may_be_drawn_and_in_a_later_second_may_not() -> None:
    rows = positives(500)
    pool = weighted(pa.array([1, 2, 3]), np.ones(3, np.int64), 0.0)
    events = pa.table(
        {
            "user_id": np.tile(np.arange(500), 2),
            "item_id": np.repeat([1, 2], 500),
            "_part": np.repeat([0, 1], 500),  # item 1 in train, item 2 in validation
        }
    )
    config = UniformNegatives(kind="uniform", per_positive=2)
    drawn = ItemSampler(pool, AllItems(pool), config, ()).draw(rows, events)
    assert set(drawn["item_id"].to_pylist()) == {2, 3}
    assert drawn.num_rows == 1000


def test_a_user_who_has_met_everything_gets_none() -> None:
    rows = positives(4)
    pool = weighted(pa.array([77]), np.ones(1, np.int64), 0.0)
    config = UniformNegatives(kind="uniform")
    assert ItemSampler(pool, AllItems(pool), config, ()).draw(rows, rows).num_rows == 0
