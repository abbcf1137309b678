"""The edges of windows and of visibility, second by second."""

from typing import Any

import pyarrow as pa
import pytest

from reclife.config.features import FeaturesConfig
from reclife.errors import ConfigError, DataError
from reclife.transforms.engine.check import check_declaration
from reclife.transforms.engine.requests import features_for
from reclife.transforms.state import FeatureState

ITEMS, USERS = pa.table({"item_id": [5, 6]}), pa.table({"user_id": [1, 2]})
Features = list[dict[str, Any]]


def state_of(features: Features, past: dict[str, Any] | None = None) -> FeatureState:
    config = {"split": {"kind": "hash"}, "past": past or {}, "features": features}
    return FeatureState(FeaturesConfig.model_validate(config), {}, {})


def look(
    features: Features,
    at: list[int],
    events: list[tuple[Any, ...]],
    past: dict[str, Any] | None = None,
) -> dict[str, list[float]]:
    """Return what user 1 and item 5 are known for at some seconds."""
    names = ["user_id", "item_id", "timestamp", "event", "price", "written"]
    columns = zip(*events, strict=True)
    table = pa.table(dict(zip(names, map(list, columns), strict=False)))
    table = table.append_column("label", [[1.0] * table.num_rows])
    requests = pa.table({"user_id": [1] * len(at), "item_id": [5] * len(at), "timestamp": at})
    state = state_of(features, past)
    found = features_for(requests, table, ITEMS, USERS, state, item_cut=None)
    return {name: found[name].to_pylist() for name in found.column_names[3:]}


def window(name: str, **rest: Any) -> dict[str, Any]:
    defaults = {"kind": "window", "by": "user", "window": "10s", "statistic": "count"}
    return {**defaults, "name": name, **rest}


def test_a_window_holds_its_first_second_and_not_its_last() -> None:
    found = look([window("n")], [100, 101, 110, 111], [(1, 5, 100, "view", 2.0)])
    assert found == {"n": [0.0, 1.0, 1.0, 0.0]}


def test_statistics_where_events_and_values_are_missing() -> None:
    clicks = {"column": "event", "equals": ["click"]}
    features = [
        window("rate", statistic="rate", where=clicks, empty=0.5),
        window("clicks", where=clicks),
        window("sum", statistic="sum", value="price", log1p=True),
        window("mean", statistic="mean", value="price", empty=-1),
        window("pair", by="user_item", window="all"),
        window("item", by="item", window="all"),
    ]
    events = [
        (1, 5, 10, "view", None),
        (1, 6, 12, "click", -9.0),
        (1, 6, 13, None, 1.0),
        (2, 5, 13, "click", 50.0),
    ]
    found = look(features, [10, 11, 13, 14], events)
    assert found == {
        "rate": [0.5, 0.0, 0.5, pytest.approx(1 / 3)],
        "clicks": [0.0, 0.0, 1.0, 1.0],
        "sum": [0.0, 0.0, 0.0, 0.0],  # a logarithm starts at 0
        "mean": [-1.0, -1.0, -9.0, -4.0],
        "pair": [0.0, 1.0, 1.0, 1.0],
        "item": [0.0, 1.0, 1.0, 2.0],
    }


def test_a_row_written_late_is_not_seen_early() -> None:
    features = [
        window("n"),
        window("ever", window="all"),
        {"kind": "recency", "name": "age", "by": "user", "log1p": False, "missing": -1},
        {"kind": "lag", "name": "last", "by": "user", "value": "price", "missing": -1},
    ]
    events = [
        (1, 5, 100, "view", 1.0, 106),  # written 6 s later
        (1, 5, 102, "view", 2.0, None),  # nothing said: known at once
        (1, 5, 104, "view", 3.0, 50),  # no row is known before it happens
        (1, 5, 105, "view", 4.0, 130),  # written when every window has passed
    ]
    at = [103, 104, 105, 106, 107, 110, 111, 113, 131]
    found = look(features, at, events, {"available_from": "written"})
    assert found == {
        "n": [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 2.0, 1.0, 0.0],
        "ever": [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 4.0],
        "age": [1.0, 2.0, 1.0, 2.0, 3.0, 6.0, 7.0, 9.0, 26.0],
        "last": [2.0, 2.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0, 4.0],
    }


def test_a_delay_longer_than_the_window_leaves_it_empty() -> None:
    features = [window("n"), window("long", window="1m")]
    found = look(features, [130, 131, 160, 161], [(1, 5, 100, "view", 1.0)], {"delay": "30s"})
    assert found == {"n": [0.0] * 4, "long": [0.0, 1.0, 1.0, 0.0]}


def test_values_of_another_type_are_named() -> None:
    features = [window("n", where={"column": "event", "equals": [1]})]
    with pytest.raises(DataError, match="'event' holds string, which \\[1\\] is not"):
        look(features, [1], [(1, 5, 100, "view", 1.0)])
    with pytest.raises(DataError, match="must hold whole seconds"):
        look([window("n")], [1], [(1, 5, 100, "view", 1.0)], {"available_from": "event"})


def test_columns_that_are_not_there_are_named_before_any_work() -> None:
    features = [
        window("n", where={"column": "event", "equals": ["buy"]}),
        {"kind": "lag", "name": "last", "by": "user", "value": "price", "missing": 0},
        {"kind": "category_sequence", "name": "kinds", "source": "item", "column": "kind"},
        {"kind": "gap_sequence", "name": "gaps"},
    ]
    past = {"available_from": "written", "ties": ["rank"]}
    columns = ["user_id", "item_id", "label"]
    with pytest.raises(ConfigError) as problem:
        check_declaration(state_of(features, past).config, columns, ["item_id"], ["user_id"])
    for part in (
        "n: 'event' is not a column of the interactions",
        "last: 'price' is not a column",
        "kinds: 'kind' is not a column of the items",
        "gaps: kind gap_sequence looks at earlier events",
        "past: 'written' is not a column of the interactions",
        "past: 'rank' is not a column of the interactions",
    ):
        assert part in str(problem.value)
