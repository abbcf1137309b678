"""Local times against the standard library, whatever zone the machine is in."""

import time
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from tests.transforms.rows import state_of, written

from reclife.transforms.date_part import values_of
from reclife.transforms.engine.plan import feature_spec

ZONES = ["UTC", "Asia/Tokyo", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"]
SPRING = int(datetime(2024, 3, 10, 6, 30, tzinfo=ZoneInfo("UTC")).timestamp())
"""01:30 in New York, half an hour before its clocks go forward."""
AUTUMN = int(datetime(2024, 11, 3, 5, 30, tzinfo=ZoneInfo("UTC")).timestamp())
"""01:30 in New York, which comes again an hour later."""
TIMES = [
    *(SPRING + step * 1800 for step in range(5)),
    *(AUTUMN + step * 1800 for step in range(5)),
    *np.random.default_rng(1).integers(-(10**8), 2 * 10**9, 300).tolist(),
]
PARTS = {
    "hour": lambda t: 2 + t.hour,
    "day_of_week": lambda t: 2 + t.weekday(),
    "day_of_month": lambda t: 1 + t.day,
    "month": lambda t: 1 + t.month,
    "is_weekend": lambda t: 2 + (t.weekday() >= 5),
}


def parts(zone: str) -> list[dict[str, Any]]:
    declared = [
        {"kind": "date_part", "name": part, "part": part, "time_zone": zone} for part in PARTS
    ]
    state = state_of(*declared, vocabularies={part: values_of(part) for part in PARTS})
    sizes = {table.name: table.size for table in feature_spec(state, timed=True).tables}
    assert sizes == {
        "hour": 26,
        "day_of_week": 9,
        "day_of_month": 33,
        "month": 14,
        "is_weekend": 4,
    }
    rows: list[dict[str, Any]] = written(state, TIMES).to_pylist()
    return rows


@pytest.mark.parametrize("zone", ZONES)
def test_parts_are_those_of_the_local_calendar(zone: str) -> None:
    for moment, row in zip(TIMES, parts(zone), strict=True):
        local = datetime.fromtimestamp(moment, ZoneInfo(zone))
        assert row == {name: expected(local) for name, expected in PARTS.items()}


def test_clocks_go_forward_and_back() -> None:
    hours = [row["hour"] - 2 for row in parts("America/New_York")]
    assert hours[:5] == [1, 3, 3, 4, 4]
    assert hours[5:10] == [1, 1, 1, 2, 2]


@pytest.mark.parametrize("machine", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_the_zone_of_the_machine_does_not_matter(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = parts("Asia/Kolkata")
    monkeypatch.setenv("TZ", machine)
    time.tzset()
    try:
        assert parts("Asia/Kolkata") == expected
    finally:
        monkeypatch.undo()
        time.tzset()
