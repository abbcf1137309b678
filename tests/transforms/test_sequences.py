"""What sequences list, second by second: conditions, sessions, dwell times, ties, what is cut."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.features import FeaturesConfig
from reclife.transforms.engine.requests import features_for
from reclife.transforms.kernels.frame import Frame
from reclife.transforms.kernels.history import History
from reclife.transforms.state import FeatureState

ITEM = {"kind": "category", "name": "item", "source": "item", "column": "item_id"}
HISTORY = {"kind": "sequence", "name": "seen", "length": 3}
TYPES = {"kind": "category_sequence", "name": "seen", "length": 3, "source": "interaction",
         "column": "event"}  # fmt: skip
DWELL = {"kind": "dwell_sequence", "name": "seen", "length": 3, "cap": "1m", "unknown": -1}
CLICKS = {"column": "event", "equals": ["click"]}
VOCABULARIES = {"item": pa.array(np.arange(100)), "seen": pa.array(["click", "buy"])}
EVENTS = pa.table(
    {
        "user_id": [1, 1, 1, 1, 1, 2],
        "item_id": [10, 11, 12, 13, 14, 15],
        "timestamp": [100, 110, 400, 410, 500, 120],
        "event": ["click", "view", "buy", "click", None, "click"],
        "written": [None, None, None, 700, None, None],
        "label": [1.0] * 6,
    }
)


def look(
    feature: dict[str, Any],
    at: list[int],
    past: dict[str, Any] | None = None,
    events: pa.Table = EVENTS,
) -> list[Any]:
    """Return what user 1 is known for at some seconds."""
    declared = {"split": {"kind": "hash"}, "past": past or {}, "features": [ITEM, feature]}
    state = FeatureState(FeaturesConfig.model_validate(declared), VOCABULARIES, {})
    rows = len(at)
    asked = pa.table({"user_id": [1] * rows, "item_id": [10] * rows, "timestamp": at})
    items, users = pa.table({"item_id": [10]}), pa.table({"user_id": [1]})
    found = features_for(asked, events, items, users, state, item_cut=None, names=["seen"])
    return found["seen"].to_pylist()  # type: ignore[no-any-return]


def test_the_newest_stand_last() -> None:
    assert look(HISTORY, [100, 101, 411, 900]) == [
        [0, 0, 0], [0, 0, 12], [13, 14, 15], [14, 15, 16],
    ]  # fmt: skip


def test_a_condition_keeps_the_events_that_have_a_value() -> None:
    assert look({**HISTORY, "where": CLICKS}, [101, 401, 900]) == [
        [0, 0, 12], [0, 0, 12], [0, 12, 15],
    ]  # fmt: skip
    both = {"column": "event", "equals": ["buy", "click"]}
    assert look({**TYPES, "where": both}, [900]) == [[2, 3, 2]]
    assert look(TYPES, [900]) == [[3, 2, 1]]


def test_a_session_ends_where_nothing_came_for_longer_than_declared() -> None:
    now = {**HISTORY, "session": "90s"}
    assert look(now, [111, 200, 201, 401, 501, 590, 591]) == [
        [0, 12, 13], [0, 12, 13], [0, 0, 0], [0, 0, 14], [14, 15, 16], [14, 15, 16], [0, 0, 0],
    ]  # fmt: skip
    assert look({**now, "session": "89s"}, [501]) == [[0, 0, 16]]


def test_a_session_is_of_all_events_and_lists_those_of_the_condition() -> None:
    assert look({**HISTORY, "session": "90s", "where": CLICKS}, [501, 401]) == [
        [0, 0, 15], [0, 0, 0],
    ]  # fmt: skip


def test_what_is_written_after_the_session_opened_is_not_of_an_earlier_one() -> None:
    events = pa.table(
        {
            "user_id": [1] * 4,
            "item_id": [10, 11, 12, 13],
            "timestamp": [100, 150, 1000, 1010],
            "event": ["click"] * 4,
            "written": [None, 1005, None, 1020],
            "label": [1.0] * 4,
        }
    )
    now = {**HISTORY, "session": "1m"}
    past = {"available_from": "written"}
    assert look(now, [1001, 1011, 1021], past, events) == [
        [0, 0, 14], [0, 0, 14], [0, 14, 15],
    ]  # fmt: skip
    assert look(HISTORY, [1021], past, events) == [[14, 13, 15]]


def test_dwell_is_known_once_the_next_event_is_seen() -> None:
    ten, capped = math.log1p(10), math.log1p(60)
    rows = look(DWELL, [101, 110, 111, 401, 411, 900])
    assert np.array(rows) == pytest.approx(
        np.array(
            [
                [0, 0, -1],
                [0, 0, -1],
                [0, ten, -1],
                [ten, capped, -1],
                [capped, ten, -1],
                [ten, capped, -1],
            ]
        )
    )


def test_dwell_of_what_is_listed_ends_with_the_next_event_of_any_kind() -> None:
    clicks = {**DWELL, "where": CLICKS}
    assert np.array(look(clicks, [111, 411, 900])) == pytest.approx(
        np.array(
            [[0, 0, math.log1p(10)], [0, math.log1p(10), -1], [0, math.log1p(10), math.log1p(60)]]
        )
    )


def test_dwell_waits_for_a_late_row() -> None:
    rows = look(DWELL, [600, 701], {"available_from": "written"})
    capped = math.log1p(60)
    assert np.array(rows) == pytest.approx(
        np.array([[capped, capped, -1], [capped, 0, -1]])  # item 13 was written after item 14
    )


def test_ties_are_ordered_as_declared_and_else_by_a_hash() -> None:
    draw = np.random.default_rng(0)
    events = pa.table(
        {
            "user_id": [1] * 6,
            "item_id": np.arange(6),
            "timestamp": [5] * 6,
            "rank": [3, 1, 2, 3, 0, 9],
            "note": ["b", "x", "x", "a", "x", "x"],
            "event": ["click"] * 6,
            "label": [1.0] * 6,
        }
    )
    orders = {tuple(look({**HISTORY, "length": 6}, [9], {}, events.take(draw.permutation(6)))[0])
              for _ in range(5)}  # fmt: skip
    assert len(orders) == 1
    for _ in range(3):
        shuffled = events.take(draw.permutation(6))
        declared = {"ties": ["rank", "note"]}
        assert look({**HISTORY, "length": 6}, [9], declared, shuffled) == [[6, 3, 4, 5, 2, 7]]


def test_events_without_room_are_counted() -> None:
    declared = {"split": {"kind": "hash"}, "features": [ITEM, {**HISTORY, "where": CLICKS}]}
    config = FeaturesConfig.model_validate(declared)
    listed = config.features[1]
    assert listed.kind == "sequence"
    asked = pa.table({"user_id": [1, 1, 2, 3], "timestamp": [401, 900, 900, 900]})
    history = History.of(Frame(asked, EVENTS, ("user_id",), None, config.past), listed)
    assert [history.cut(length).tolist() for length in (1, 2)] == [[0, 1, 0, 0], [0, 0, 0, 0]]
