"""The order of a user's candidates, against a plain loop."""

import numpy as np
import pyarrow as pa
import pytest

from reclife.contracts import Isotonic
from reclife.scoring.ranking import best


def candidates(seed: int = 0) -> pa.Table:
    """Users of different lengths, shuffled rows, ties in the model's probability."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "user_id": user,
            "item_id": f"{user}-{place}",
            "cold": user == "cold",
            "candidate_rank": place,
            "candidate_score": 1.0 / place,
            "retrieved": place < 9,
            "probability": round(float(rng.random()), 1),
        }
        for user in ("ann", "bob", "中文", "cold")
        for place in range(1, rng.integers(4, 30))
    ]
    rng.shuffle(rows)
    schema = [
        ("candidate_rank", pa.int32()),
        ("candidate_score", pa.float32()),
        ("probability", pa.float32()),
    ]
    table = pa.Table.from_pylist(rows)
    for name, kind in schema:
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    return table


def expected(table: pa.Table, top: int, weight: float) -> dict[str, list[str]]:
    result = {}
    for user in sorted(set(table["user_id"].to_pylist())):
        rows = [row for row in table.to_pylist() if row["user_id"] == user]
        p = np.array([row["probability"] for row in rows])
        c = np.array([row["candidate_score"] for row in rows])
        mixed = (
            p
            if weight == 1
            else (
                weight * (p - p.mean()) / p.std() + (1 - weight) * (c - c.mean()) / c.std()
                if not rows[0]["cold"]
                else p
            )
        )
        if rows[0]["cold"]:
            mixed = np.array([1 / row["candidate_rank"] for row in rows])
        keys = [
            (-round(float(m), 6), row["candidate_rank"], row["item_id"])
            for m, row in zip(mixed, rows, strict=True)
        ]
        result[user] = [item for _, _, item in sorted(keys)[:top]]
    return result


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
def test_order_is_that_of_a_plain_loop(weight):
    table = candidates()
    found = best(table, 5, weight)
    lists: dict[str, list[str]] = {}
    for row in found.to_pylist():
        lists.setdefault(row["user_id"], []).append(row["item_id"])
        assert row["rank"] == len(lists[row["user_id"]])
    assert lists == expected(table, 5, weight)


def test_the_order_of_the_rows_does_not_matter():
    table = candidates(1)
    shuffled = table.take(np.random.default_rng(2).permutation(table.num_rows))
    key = [("user_id", "ascending"), ("rank", "ascending")]
    assert best(table, 5, 1.0).sort_by(key).equals(best(shuffled, 5, 1.0).sort_by(key))


@pytest.mark.parametrize("weight", [0.4, 1.0])
def test_chances_are_shown_calibrated_in_the_order_of_the_model(weight):
    steps = Isotonic(knots=(0.2, 0.5, 0.8), values=(0.1, 0.1, 0.9))
    plain, shown = best(candidates(), 5, weight), best(candidates(), 5, weight, steps)
    assert shown.drop("score").equals(plain.drop("score"))
    cold, before = np.asarray(plain["cold"]), plain["score"].to_numpy()
    mapped = np.interp(before, steps.knots, steps.values) if weight == 1.0 else before
    np.testing.assert_allclose(shown["score"], np.where(cold, before, mapped), atol=1e-7)


def test_no_rows_give_none():
    assert best(candidates().slice(0, 0), 5, 1.0).num_rows == 0
