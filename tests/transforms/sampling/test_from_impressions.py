"""Chosen impressions: of the same user, part and request, before the positive, not taken."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms.sampling import logs
from tests.transforms.sampling.conftest import Draw

from reclife.errors import DataError

KIND = {"kind": "from_impressions", "event": logs.SHOWN}


def candidates(positive: Any, rows: list[Any], same: str | None) -> list[Any]:
    """Return what a positive may choose, by brute force."""

    def alike(row: Any) -> bool:
        if row["user_id"] != positive["user_id"]:
            return False
        return same is None or (row[same] is not None and row[same] == positive[same])

    def taken(shown: Any) -> bool:
        return any(
            alike(row)
            and row["label"] == 1
            and row["item_id"] == shown["item_id"]
            and logs.rank(row) <= logs.rank(shown)
            for row in rows
        )

    return [
        row
        for row in rows
        if row["event"] == logs.SHOWN
        and alike(row)
        and row["split"] == positive["split"]
        and row.get("timestamp", 0) <= positive.get("timestamp", 0)
        and not taken(row)
    ]


@pytest.mark.parametrize("same", [None, "session"])
@pytest.mark.parametrize("timed", [True, False])
def test_chosen_by_hash(drawn: Draw, same: str | None, timed: bool) -> None:
    table = logs.log(21, timed=timed)
    rows = table.to_pylist()
    found = drawn(table, {**KIND, "same": same, "choose": "hashed", "per_positive": 2})
    negatives = [row for row in found if row["label"] == 0]
    chances: dict[str, list[float]] = {}
    for positive in filter(lambda row: row["label"] == 1, rows):
        open_to = candidates(positive, rows, same)
        for row in open_to:
            chances.setdefault(repr(row), []).append(1 / len(open_to))
    assert 20 < len(negatives) <= 2 * sum(row["label"] == 1 for row in rows)
    for row in negatives:
        chance = row.pop("sampling_probability")
        assert min(abs(chance - one) for one in chances[repr(row)]) < 1e-6
    assert len({repr(row) for row in negatives}) == len(negatives)


@pytest.mark.parametrize("same", [None, "session"])
def test_the_newest(drawn: Draw, same: str | None) -> None:
    """As many as asked for, none older than one that was left; ties of one second are free."""
    table = logs.log(22)
    rows = table.to_pylist()
    found = drawn(table, {**KIND, "same": same, "choose": "newest", "per_positive": 1})
    negatives = [row for row in found if row["label"] == 0]
    assert {row.pop("sampling_probability") for row in negatives} == {1.0}
    chosen = {repr(row) for row in negatives}
    explained = set()
    for positive in filter(lambda row: row["label"] == 1, rows):
        open_to = candidates(positive, rows, same)
        newest = max((row["timestamp"] for row in open_to), default=None)
        tied = {repr(row) for row in open_to if row["timestamp"] == newest}
        assert not tied or tied & chosen
        explained |= tied
    assert chosen <= explained


def test_impressions_that_nobody_chose_are_no_examples(drawn: Draw) -> None:
    table = logs.log(23)
    found = drawn(table, {**KIND, "choose": "newest", "per_positive": 1})
    assert len(found) < table.num_rows
    assert {row["event"] for row in found} == {logs.SHOWN, logs.BOUGHT}


def test_draws_are_even(drawn: Draw) -> None:
    """One of ten impressions each of 3,000 users, within five standard deviations."""
    users = 3_000
    table = pa.table(
        {
            "user_id": np.repeat(np.arange(users), 11),
            "item_id": np.tile(np.arange(11), users),
            "timestamp": np.tile([*range(10), 10], users),
            "label": np.tile([0.0] * 10 + [1.0], users),
            "event": ([logs.SHOWN] * 10 + [logs.BOUGHT]) * users,
            "split": ["train"] * 11 * users,
            "device": ["tv"] * 11 * users,
        }
    )
    found = drawn(table, {**KIND, "choose": "hashed", "per_positive": 1})
    counts = np.bincount([row["item_id"] for row in found if row["label"] == 0], minlength=10)
    assert counts.sum() == users
    assert np.abs(counts - users / 10).max() < 5 * np.sqrt(users * 0.1 * 0.9)


def test_an_unknown_event_is_named(drawn: Draw) -> None:
    with pytest.raises(DataError, match="'seen'"):
        drawn(logs.log(24), {**KIND, "event": "seen", "choose": "newest"})
