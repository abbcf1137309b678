"""What every kind of negatives promises, held against every one of them."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms.sampling import logs
from tests.transforms.sampling.conftest import Draw

from reclife.transforms.sampling import SAMPLERS

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "uniform": [{"per_positive": 3}],
    "popularity": [{"alpha": 0.75, "per_positive": 3, "seed": 4}],
    "same_category": [
        {"column": "kind", "alpha": 0, "min_items": 2, "otherwise": "all_items"},
        {"column": "kind", "alpha": 1, "min_items": 2, "otherwise": "none"},
    ],
    "from_impressions": [
        {"event": logs.SHOWN, "choose": "newest", "same": "session"},
        {"event": logs.SHOWN, "choose": "hashed", "per_positive": 2},
    ],
}
DECLARED = [{"kind": kind, **one} for kind, all_of in EXAMPLES.items() for one in all_of]
ALL = pytest.mark.parametrize("declared", DECLARED, ids=lambda one: one["kind"])


def negatives_of(rows: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """Return what was drawn: impressions, or rows that are no event."""
    event = logs.SHOWN if kind == "from_impressions" else None
    return [row for row in rows if row["label"] == 0 and row["event"] == event]


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in logs.KEYS)


def test_every_kind_has_an_example() -> None:
    assert set(SAMPLERS) == set(EXAMPLES)


@ALL
@pytest.mark.parametrize("timed", [True, False])
def test_the_same_rows_under_any_partitioning(
    drawn: Draw, declared: dict[str, Any], timed: bool
) -> None:
    table = logs.log(1, timed=timed)
    first = drawn(table, declared, 1)
    assert first
    for partitions in (3, 8):
        assert drawn(table, declared, partitions) == first
    backwards = table.take(np.arange(table.num_rows)[::-1])
    assert drawn(backwards, declared, 2) == first


@ALL
def test_positives_stay_and_every_part_gets_negatives(
    drawn: Draw, declared: dict[str, Any]
) -> None:
    table = logs.log(2)
    rows = drawn(table, declared)
    positives = [row for row in rows if row["label"] == 1]
    told = Counter(map(key_of, filter(lambda row: row["label"] == 1, table.to_pylist())))
    assert Counter(map(key_of, positives)) == told
    assert {row["sampling_probability"] for row in positives} == {1.0}
    negatives = negatives_of(rows, declared["kind"])
    assert {row["split"] for row in negatives} == {"train", "validation", "test"}
    assert all(0 < row["sampling_probability"] <= 1 for row in negatives)


@ALL
def test_the_future_is_not_in_training(drawn: Draw, declared: dict[str, Any]) -> None:
    """Other test events, of another label and of unheard-of items, leave train as it was."""
    table = logs.log(3)
    planted = [
        {**row, "item_id": 39 - row["item_id"] % 8, "label": 1.0, "event": logs.BOUGHT}
        if row["split"] == "test"
        else row
        for row in table.to_pylist()
    ]
    other = drawn(pa.Table.from_pylist(planted, table.schema), declared)
    for part in ("train", "validation"):
        expected = [row for row in drawn(table, declared) if row["split"] == part]
        assert [row for row in other if row["split"] == part] == expected


@ALL
def test_another_seed_draws_others(drawn: Draw, declared: dict[str, Any]) -> None:
    table = logs.log(4)
    found = [drawn(table, {**declared, "seed": n}) for n in (0, 9)]
    first, second = (negatives_of(rows, declared["kind"]) for rows in found)
    assert (first == second) == (declared.get("choose") == "newest")


def test_none_leaves_the_interactions_alone(drawn: Draw) -> None:
    table = logs.log(5)
    assert drawn(table, {"kind": "none"}) == sorted(table.to_pylist(), key=repr)
