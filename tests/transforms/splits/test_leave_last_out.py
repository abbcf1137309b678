"""Of each user with enough events the last one is test, the one before it validation."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.splits import LeaveLastOutSplit
from reclife.errors import ConfigError, DataError
from reclife.transforms.splits import divide


def split_of(**changes: Any) -> LeaveLastOutSplit:
    return LeaveLastOutSplit(kind="leave_last_out", **changes)


@pytest.mark.parametrize("by", ["timestamp", "place"])
@pytest.mark.parametrize("min_events", [3, 6])
def test_the_newest_two_of_each_user_are_held_out(spark: Any, by: str, min_events: int) -> None:
    draw = np.random.default_rng(2)
    users = draw.integers(0, 30, 150)
    order = draw.permutation(150)
    events = pa.table(
        {"user_id": users, "item_id": draw.integers(0, 9, 150), by: order * (0.5, 1)[by[0] == "t"]}
    )
    divided, _ = divide(spark.createDataFrame(events), split_of(by=by, min_events=min_events))
    found = {(row["user_id"], row[by]): row["split"] for row in divided.collect()}
    for user in range(30):
        own = sorted(row[by] for row in events.to_pylist() if row["user_id"] == user)
        parts = [found[user, moment] for moment in own]
        held = ["validation", "test"] if len(own) >= min_events else ["train"] * len(own[-2:])
        assert parts == ["train"] * (len(own) - len(held)) + held


def test_ties_are_ordered_by_the_declared_seed(spark: Any) -> None:
    events = pa.table(
        {"user_id": np.repeat(np.arange(40), 5), "item_id": np.tile(np.arange(5), 40)}
    ).append_column("timestamp", pa.array(np.zeros(200, np.int64)))
    chosen = []
    for seed in (0, 1, 0):
        divided, _ = divide(spark.createDataFrame(events), split_of(seed=seed))
        rows = divided.where("split = 'test'").collect()
        assert len(rows) == 40
        chosen.append({row["user_id"]: row["item_id"] for row in rows})
    assert chosen[0] == chosen[2] != chosen[1]
    assert set(chosen[0].values()) == set(range(5))


def test_what_cannot_be_ordered_is_refused(spark: Any) -> None:
    names = "user_id bigint, item_id bigint, place double, page string"
    rows = [(1, 2, 0.5, "a"), (1, 3, None, "b"), (1, 4, None, "c"), (1, 5, 2.0, "d")]
    frame = spark.createDataFrame(rows, names)
    with pytest.raises(DataError, match=r"'place' of the interactions is missing in 2 row"):
        divide(frame, split_of(by="place"))
    with pytest.raises(ConfigError, match="'page' is string"):
        divide(frame, split_of(by="page"))
    with pytest.raises(DataError, match="no user has 3 events"):
        divide(frame.where("place is not null"), split_of(by="place"))
