"""Every look back against plain Python over random events."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reclife.errors import ConfigError, DataError
from reclife.transforms.engine.requests import features_for

CUT = 1_000_050
Row = dict[str, Any]


def smoothed(values: list[float], prior: float, strength: float) -> float:
    return (sum(values) + strength * prior) / (len(values) + strength)


def earlier(events: list[Row], key: str, request: Row, cut: int | None = None) -> list[Row]:
    limit = request["timestamp"] if cut is None else min(request["timestamp"], cut)
    return [e for e in events if e[key] == request[key] and e["timestamp"] < limit]


def genres_of(world: Any) -> dict[Any, list[str]]:
    """Return the genres per item: those of the vocabulary among the first three."""
    result = {}
    for row in world.items.to_pylist():
        parts = [part for part in (row["genres"] or "").split("|") if part][:3]
        result[row["item_id"]] = [part for part in parts if part in "abcd"]
    return result


@pytest.mark.parametrize("text_ids", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_means_counts_and_flags_equal_brute_force(
    make_world: Callable[..., Any], seed: int, text_ids: bool
) -> None:
    world = make_world(seed, text_ids=text_ids)
    events = world.events.to_pylist()
    found = features_for(
        world.events, world.events, world.items, world.users, world.state, item_cut=CUT
    ).to_pylist()
    genres = genres_of(world)
    assert len(found) == len(events)
    for request, row in zip(events, found, strict=True):
        mine = earlier(events, "user_id", request)
        its = earlier(events, "item_id", request, CUT)
        assert row["user_mean"] == pytest.approx(smoothed([e["label"] for e in mine], 0.4, 3), 1e-6)
        expected = smoothed([e["rating"] for e in its], 2.75, 2)
        assert row["item_rating"] == pytest.approx(expected, 1e-6)
        assert row["user_count"] == pytest.approx(math.log(1 + len(mine)), 1e-6)
        assert row["item_count"] == pytest.approx(math.log(1 + len(its)), 1e-6)
        assert row["item_unknown"] == (0.0 if its else 1.0)
        overall = smoothed([e["label"] for e in mine], 0.4, 2)
        rates = [
            smoothed([e["label"] for e in mine if genre in genres[e["item_id"]]], overall, 2)
            for genre in genres[request["item_id"]]
        ] or [overall]
        assert row["affinity_mean"] == pytest.approx(sum(rates) / len(rates), 1e-6)
        assert row["affinity_max"] == pytest.approx(max(rates), 1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_recent_means_and_histories_equal_brute_force(
    make_world: Callable[..., Any], seed: int
) -> None:
    """Without ties the newest events have one order: seconds made distinct by the row's rank."""
    world = make_world(seed)
    moved = pa.array(np.random.default_rng(seed).permutation(world.events.num_rows))
    table = world.events.set_column(2, "timestamp", moved)
    events = table.to_pylist()
    found = features_for(
        table, table, world.items, world.users, world.state, item_cut=None
    ).to_pylist()
    for request, row in zip(events, found, strict=True):
        for key, half_life, newest, strength in (("user", 2, 4, 1.5), ("item", 3, 5, 1)):
            past = earlier(events, f"{key}_id", request)
            past.sort(key=lambda e: -e["timestamp"])
            weights = [2 ** (-rank / half_life) for rank in range(len(past[:newest]))]
            total = sum(w * e["label"] for w, e in zip(weights, past, strict=False))
            expected = (total + strength * 0.4) / (sum(weights) + strength)
            assert row[f"{key}_recent"] == pytest.approx(expected, 1e-6)
        past = earlier(events, "user_id", request)
        past.sort(key=lambda e: e["timestamp"])
        ids = [e["item_id"] + 2 if e["item_id"] < 20 else 1 for e in past][-5:]
        assert row["history"] == [0] * (5 - len(ids)) + ids


def test_order_inside_a_second_does_not_follow_the_source(
    make_world: Callable[..., Any],
) -> None:
    world = make_world(7)
    shuffled = world.events.take(np.random.default_rng(1).permutation(world.events.num_rows))
    results = [
        features_for(world.events, events, world.items, world.users, world.state, item_cut=None)
        for events in (world.events, shuffled, world.events.sort_by("item_id"))
    ]
    assert results[0].equals(results[1])
    assert results[0].equals(results[2])
    same_second = pa.table(
        {
            "user_id": [1] * 30,
            "item_id": list(range(30)),
            "timestamp": [10] * 30,
            "rating": [1.0] * 30,
            "label": [0.0] * 30,
        }
    )
    request = pa.table({"user_id": [1], "item_id": [0], "timestamp": [11]})
    row = features_for(
        request,
        same_second,
        world.items,
        world.users,
        world.state,
        item_cut=None,
        names=["history"],
    )
    history = row["history"][0].as_py()
    assert history != sorted(history)


def test_events_of_one_second_do_not_see_each_other(make_world: Callable[..., Any]) -> None:
    world = make_world(0)
    events = world.events.set_column(2, "timestamp", pa.array([5] * world.events.num_rows))
    found = features_for(events, events, world.items, world.users, world.state, item_cut=None)
    assert set(found["user_count"].to_pylist()) == {0.0}
    assert set(found["item_unknown"].to_pylist()) == {1.0}
    assert {tuple(row) for row in found["history"].to_pylist()} == {(0, 0, 0, 0, 0)}


def test_a_label_written_an_hour_later_is_not_seen(make_world: Callable[..., Any]) -> None:
    """A copy of every label, one hour later, changes no feature of the moment before it."""
    world = make_world(3)
    requests = world.events
    late = requests.set_column(2, "timestamp", pa.array(requests["timestamp"].to_numpy() + 3600))
    last = max(requests["timestamp"].to_pylist())
    assert min(late["timestamp"].to_pylist()) > last
    plain, planted = (
        features_for(requests, events, world.items, world.users, world.state, item_cut=None)
        for events in (requests, pa.concat_tables([requests, late]))
    )
    assert plain.equals(planted)


def test_attributes_are_encoded_and_padded(make_world: Callable[..., Any]) -> None:
    world = make_world(0)
    ids = [0, 1, 2, 3, 4, 5, 6, 24, 99]
    requests = pa.table({"user_id": [0, 1, 99] * 3, "item_id": ids, "timestamp": [0] * 9})
    names = ["item", "genres", "age"]
    found = features_for(
        requests, world.events, world.items, world.users, world.state, item_cut=None, names=names
    )
    assert found.column_names == ["user_id", "item_id", "timestamp", *names]
    assert found["item"].to_pylist() == [2, 3, 4, 5, 6, 7, 8, 1, 1]
    assert found["age"].to_pylist() == [30.0, 21.0, 30.0] * 3
    assert found["genres"].to_pylist() == [
        [0, 0, 0],
        [3, 0, 0],
        [5, 2, 0],
        [3, 5, 2],
        [4, 1, 0],
        [1, 0, 0],
        [0, 0, 0],
        [3, 5, 2],
        [0, 0, 0],
    ]


def test_no_requests_and_no_events(make_world: Callable[..., Any]) -> None:
    world = make_world(0)
    empty = world.events.slice(0, 0)
    args = (world.items, world.users, world.state)
    assert features_for(empty, world.events, *args, item_cut=None).num_rows == 0
    found = features_for(world.events, empty, *args, item_cut=None)
    assert found["user_mean"].to_numpy() == pytest.approx(np.full(found.num_rows, 0.4))


def test_an_unknown_name_and_a_missing_column_are_named(make_world: Callable[..., Any]) -> None:
    world = make_world(0)
    args = (world.items, world.users, world.state)
    with pytest.raises(ConfigError, match="user_maen"):
        features_for(world.events, world.events, *args, item_cut=None, names=["user_maen"])
    with pytest.raises(DataError, match="'rating'"):
        features_for(world.events, world.events.drop_columns("rating"), *args, item_cut=None)
