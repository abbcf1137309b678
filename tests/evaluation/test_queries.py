"""Queries against plain loops, and by hand."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from reclife.config.evaluation import QueriesConfig
from reclife.errors import DataError
from reclife.evaluation.queries import build

CUT = 100


def random_log(seed: int) -> tuple[pa.Table, pa.Table]:
    rng = np.random.default_rng(seed)
    times = np.sort(rng.integers(0, 200, size=600))
    table = pa.table(
        {
            "user_id": rng.integers(0, 12, size=600),
            "item_id": [f"i{n}" for n in rng.integers(0, 60, size=600) + (times > CUT) * 10],
            "timestamp": times,
        }
    )
    return table.filter(pa.array(times < CUT)), table.filter(pa.array(times >= CUT))


@pytest.mark.parametrize("seed", range(4))
def test_queries_equal_plain_loops(seed: int) -> None:
    past, test = random_log(seed)
    config = QueriesConfig(min_history=4, max_per_user=1000, targets=3)
    asked = build(past, test, config)
    rows = pa.concat_tables([past, test]).to_pylist()
    known = set(past["item_id"].to_pylist())
    seen = set()
    for q in range(len(asked)):
        user, second = asked.users[q].as_py(), int(asked.times[q])
        own = [r for r in rows if r["user_id"] == user]
        before = [r for r in own if r["timestamp"] < second]
        history = asked.histories[q].as_py()
        assert len(before) >= 4
        assert sorted(history) == sorted(r["item_id"] for r in before)
        clock = {}
        for r in before:
            clock.setdefault(r["item_id"], []).append(r["timestamp"])
        newest = [max(clock[item]) for item in history]
        assert history[-1] in [r["item_id"] for r in before if r["timestamp"] == max(newest)]
        fresh = {r["item_id"]: r["timestamp"] for r in reversed(own) if r["timestamp"] >= second}
        fresh = {item: t for item, t in fresh.items() if item not in history}
        for targets, eligible in ((asked.known, known), (asked.upcoming, set(fresh))):
            right = [targets.items[int(m)].as_py() for m in np.flatnonzero(targets.query == q)]
            allowed = sorted(t for item, t in fresh.items() if item in eligible)
            assert [fresh[item] for item in right] == allowed[:3]
            assert set(right) <= eligible
            assert len(set(right)) == len(right)
        seen.add((user, second))
    wanted = {
        (r["user_id"], r["timestamp"])
        for r in test.to_pylist()
        if sum(e["user_id"] == r["user_id"] and e["timestamp"] < r["timestamp"] for e in rows) >= 4
    }
    assert seen == wanted
    unknown = [item.as_py() not in known for item in asked.upcoming.items]
    assert (~asked.upcoming_known).tolist() == unknown


def test_many_moments_are_cut_by_hash_whatever_the_order_of_the_rows() -> None:
    past, test = random_log(0)
    config = QueriesConfig(min_history=0, max_per_user=2, targets=3)
    one = build(past, test, config)
    rng = np.random.default_rng(9)
    other = build(
        past.take(pa.array(rng.permutation(past.num_rows))),
        test.take(pa.array(rng.permutation(test.num_rows))),
        config,
    )
    assert np.bincount(one.owners).max() == 2
    moments = [
        sorted(zip(q.users.to_pylist(), q.times.tolist(), strict=True)) for q in (one, other)
    ]
    assert moments[0] == moments[1]


def test_without_time_a_user_has_one_query_and_all_test_items_are_right() -> None:
    past = pa.table({"user_id": [1, 1, 2, 3], "item_id": [10, 11, 10, 12]})
    test = pa.table({"user_id": [1, 1, 2], "item_id": [12, 99, 11]})
    asked = build(past, test, QueriesConfig(min_history=1, targets=1))
    assert asked.users.to_pylist() == [1, 2]
    assert asked.times is None
    assert sorted(asked.histories[0].as_py()) == [10, 11]
    assert asked.known.items.to_pylist() == [12, 11]
    assert asked.upcoming.per_query(2).tolist() == [2, 1]


@pytest.mark.parametrize("seen", ["mask", "keep"])
@pytest.mark.parametrize("clock", ["timestamp", "order", "neither"])
def test_a_query_per_user_equals_plain_loops(clock: str, seen: str) -> None:
    """A published split: the parts overlap in time, and what is in train is always known."""
    rng = np.random.default_rng(4)
    table = pa.table(
        {
            "user_id": rng.integers(0, 10, size=300),
            "item_id": rng.integers(0, 40, size=300),
            "grade": rng.integers(1, 6, size=300),
        }
    )
    if clock != "neither":
        table = table.append_column(clock, pa.array(rng.permutation(300)))
    held = pa.array(rng.random(300) < 0.3)
    test, past = table.filter(held), table.filter(pc.invert(held))
    config = QueriesConfig(per="user", min_history=0, targets="all", gain="grade")
    asked = build(past, test, config, seen)
    assert sorted(asked.users.to_pylist()) == sorted(set(test["user_id"].to_pylist()))
    assert asked.per_user
    for q, user in enumerate(asked.users.to_pylist()):
        before = [r for r in past.to_pylist() if r["user_id"] == user]
        after = [r for r in test.to_pylist() if r["user_id"] == user]
        if clock != "neither":
            before = sorted(before, key=lambda r: r[clock])
            after = sorted(after, key=lambda r: r[clock])
            assert asked.histories[q].as_py() == [r["item_id"] for r in before]
        met = {r["item_id"] for r in before} if seen == "mask" else set()
        wanted = {r["item_id"]: r["grade"] for r in reversed(after) if r["item_id"] not in met}
        mine = asked.counted.query == q
        items = asked.counted.items.filter(pa.array(mine)).to_pylist()
        assert len(items) == len(set(items))
        assert set(items) == set(wanted)
        if clock != "neither":
            found = dict(zip(items, asked.counted.gains[mine].tolist(), strict=True))
            assert found == wanted
        if clock == "timestamp":
            assert asked.times[q] == min(r["timestamp"] for r in after)
    assert (asked.times is None) == (clock != "timestamp")


def test_an_ordered_sequence_may_ask_for_the_next_item_only() -> None:
    past = pa.table({"user_id": [1, 1], "item_id": [7, 8], "order": [2, 1]})
    test = pa.table({"user_id": [1, 1], "item_id": [8, 9], "order": [3, 4]})
    config = QueriesConfig(per="user", min_history=0, targets=1)
    asked = build(past, test, config, "keep")
    assert asked.histories[0].as_py() == [8, 7]
    assert asked.counted.items.to_pylist() == [8]  # sessions repeat items
    assert build(past, test, config, "mask").counted.items.to_pylist() == [9]


def test_a_grade_that_is_missing_or_negative_is_told() -> None:
    past = pa.table({"user_id": [1], "item_id": [7], "grade": [1.0]})
    test = pa.table({"user_id": [1, 1], "item_id": [8, 9], "grade": pa.array([None, -1.0])})
    config = QueriesConfig(min_history=0, gain="grade")
    with pytest.raises(DataError, match="2 of 3 values of 'grade'"):
        build(past, test, config)
    with pytest.raises(DataError, match="no column 'rating'"):
        build(past, test, QueriesConfig(min_history=0, gain="rating"))
    texts = [table.set_column(2, "grade", pa.array(["A"] * len(table))) for table in (past, test)]
    with pytest.raises(DataError, match="'grade' holds string; grades are numbers"):
        build(*texts, config)
