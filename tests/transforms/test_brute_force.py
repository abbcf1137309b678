"""Every look-back feature equals plain Python, over 2,000 random events and small hard logs."""

import time
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as hs
from tests.transforms.brute_force import (
    DAY,
    HOUR,
    ROW_FEATURES,
    START,
    TYPES,
    Log,
    differences,
    events_of,
    random_events,
    reference,
)

from reclife.transforms.engine.requests import features_for

ROWS, FEWER = 2_000, 700
CUT = START + 34 * DAY
AT_ONCE: tuple[dict[str, Any], int, bool] = ({}, 0, False)
DELAYED: tuple[dict[str, Any], int, bool] = ({"delay": "2h"}, 2 * HOUR, False)
WRITTEN: tuple[dict[str, Any], int, bool] = (
    {"delay": "90s", "available_from": "written"},
    90,
    True,
)
"""When events become visible: as declared, the delay in seconds, and whether it is a column's."""


def without_counts(expected: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{n: v for n, v in row.items() if not n.startswith("_")} for row in expected]


def computed(log: Log, item_cut: int | None) -> pa.Table:
    args = (log.events, log.events, log.items, log.users, log.state)
    return features_for(*args, item_cut=item_cut)


@pytest.mark.parametrize(
    ("past", "item_cut", "rows"),
    [
        (AT_ONCE, None, ROWS),
        (AT_ONCE, CUT, FEWER),
        (DELAYED, None, FEWER),
        (WRITTEN, CUT, ROWS),
    ],
)
def test_every_look_back_equals_plain_python(
    past: tuple[dict[str, Any], int, bool], item_cut: int | None, rows: int
) -> None:
    declared, delay, written = past
    log = Log(random_events(rows, seed=delay + 1), declared)
    found = computed(log, item_cut)
    expected = without_counts(reference(log, delay, written=written, item_cut=item_cut))
    assert len(expected) == found.num_rows == rows
    written_names = set(found.column_names) - set(log.events.column_names)
    assert set(expected[0]) == {"number"} | written_names - set(ROW_FEATURES)
    assert differences(found, expected)[:10] == []


SECONDS = hs.one_of(
    hs.integers(0, 5),
    hs.sampled_from([HOUR - 1, HOUR, HOUR + 1, 2 * HOUR, 7 * DAY, 30 * DAY, 30 * DAY + 1]),
    hs.integers(0, 40 * DAY),
)
EVENTS = hs.fixed_dictionaries(
    {
        "user_id": hs.integers(0, 2),
        "item_id": hs.sampled_from([0, 1, 28]),
        "timestamp": SECONDS.map(lambda s: START + s),
        "event": hs.sampled_from([*TYPES, None]),
        "rating": hs.one_of(hs.none(), hs.integers(-4, 9).map(lambda r: r / 2)),
        "label": hs.sampled_from([0.0, 1.0]),
        "written": hs.one_of(hs.none(), SECONDS.map(lambda s: START + s)),
    }
)


@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    events=hs.lists(EVENTS, min_size=1, max_size=14),
    past=hs.sampled_from([AT_ONCE, DELAYED, WRITTEN]),
    item_cut=hs.one_of(hs.none(), SECONDS.map(lambda s: START + s)),
)
def test_small_logs_full_of_edges_equal_plain_python(
    events: list[dict[str, Any]],
    past: tuple[dict[str, Any], int, bool],
    item_cut: int | None,
) -> None:
    columns = {name: [event[name] for event in events] for name in events[0]}
    declared, delay, written = past
    log = Log(events_of({**columns, "number": range(len(events))}), declared)
    expected = without_counts(reference(log, delay, written=written, item_cut=item_cut))
    assert differences(computed(log, item_cut), expected)[:10] == []


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_spark_agrees_in_other_time_zones(
    spark: Any, monkeypatch: pytest.MonkeyPatch, told: tuple[Log, list[dict[str, Any]]], zone: str
) -> None:
    """Python's zone changes here; `test_cluster` gives Java and the workers other zones too."""
    from reclife.transforms.engine.spark import features_for_spark

    log, counted = told
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        frames = [spark.createDataFrame(t) for t in (log.events, log.items, log.users)]
        events = frames[0].repartition(5)
        found = features_for_spark(events, events, *frames[1:], log.state, item_cut=CUT).toArrow()
    finally:
        monkeypatch.undo()
        time.tzset()
    expected = computed(log, CUT)
    same = found.select(expected.column_names).sort_by("number")
    assert same.to_pylist() == expected.sort_by("number").to_pylist()
    assert any(row["_cut_history"] for row in counted)
    assert differences(found, counted)[:10] == []


@pytest.fixture(scope="module")
def told() -> tuple[Log, list[dict[str, Any]]]:
    """A log and its features by the definitions."""
    log = Log(random_events(FEWER, seed=5), {"delay": "1m", "available_from": "written"})
    return log, reference(log, 60, written=True, item_cut=CUT)
