"""Every look-back feature equals plain Python over 2,000 random events, in process and on Spark."""

import time
from typing import Any

import pytest
from tests.transforms.brute_force import DAY, HOUR, Log, differences, reference

from reclife.transforms.requests import features_for

ROWS = 2_000
CUT = 1_700_000_000 + 4 * DAY


@pytest.mark.parametrize(
    ("past", "delay", "written", "item_cut"),
    [
        ({}, 0, False, None),
        ({}, 0, False, CUT),
        ({"delay": "2h"}, 2 * HOUR, False, None),
        ({"delay": "90s", "available_from": "written"}, 90, True, CUT),
    ],
)
def test_every_look_back_equals_plain_python(
    past: dict[str, Any], delay: int, written: bool, item_cut: int | None
) -> None:
    log = Log(ROWS, seed=delay + 1, past=past)
    args = (log.events, log.events, log.items, log.users, log.state)
    found = features_for(*args, item_cut=item_cut)
    expected = reference(log, delay, written=written, item_cut=item_cut)
    assert len(expected) == found.num_rows == ROWS
    assert set(expected[0]) == {"number"} | {
        name for name in found.column_names if name not in log.events.column_names
    } - {"item", "genres"}
    assert differences(found, expected)[:10] == []


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_spark_agrees_in_every_time_zone(
    spark: Any, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    from reclife.transforms.spark import features_for_spark

    log = Log(ROWS, seed=5, past={"delay": "1m", "available_from": "written"})
    args = (log.events, log.events, log.items, log.users, log.state)
    expected = features_for(*args, item_cut=CUT)
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        frames = [spark.createDataFrame(t) for t in (log.events, log.items, log.users)]
        events = frames[0].repartition(5)
        found = features_for_spark(events, events, *frames[1:], log.state, item_cut=CUT).toArrow()
    finally:
        monkeypatch.undo()
        time.tzset()
    found = found.select(expected.column_names).sort_by("number")
    assert found.to_pylist() == expected.sort_by("number").to_pylist()
