"""Labels: what each rule says of an event, and when it may be known."""

import random
from typing import Any

import pytest

from reclife.config.ingest import InteractionsSource
from reclife.errors import DataError

DAY = 86_400
TYPES = {"view": ["view"], "click": ["click"], "buy": ["buy"]}
SCHEMA = "u bigint, i bigint, t bigint, e string, r double"


def source(**declared: Any) -> InteractionsSource:
    columns = {
        "user_id": {"from": "u", "type": "int64"},
        "item_id": {"from": "i", "type": "int64"},
        "r": {"from": "r", "type": "float64", "missing": "keep"},
    }
    return InteractionsSource.model_validate(
        {
            "columns": columns,
            "time": {"from": "t"},
            "event": {"from": "e", "types": TYPES},
            **declared,
        }
    )


def labelled(spark: Any, rows: list[tuple[Any, ...]], declared: InteractionsSource) -> Any:
    from reclife.sources.canonical import (
        canonical_interactions,
        newest,
        parse_interactions,
        without_repeats,
    )

    raw = spark.createDataFrame(rows, SCHEMA)
    parsed = without_repeats(parse_interactions(raw, declared), declared).persist()
    end = declared.time.complete_until if declared.time else None
    return canonical_interactions(parsed, declared, newest(parsed) if end is None else end)


def by_event(frame: Any, *names: str) -> dict[tuple[Any, ...], Any]:
    found = {
        (row["user_id"], row["item_id"], row["timestamp"], row["event"]): tuple(
            row[name] for name in names
        )
        for row in frame.collect()
    }
    return {key: value[0] if len(names) == 1 else value for key, value in found.items()}


def test_rules_that_read_the_event_alone(spark: Any) -> None:
    declared = source(
        labels={
            "like": {"kind": "threshold", "column": "r", "at_least": 4},
            "deal": {"kind": "event", "column": "event", "positive": ["buy"]},
            "seen": {"kind": "all_positive"},
        }
    )
    rows = [(1, 1, 10, "buy", 4.0), (2, 1, 10, "view", 3.9), (3, 1, 10, "click", None)]
    frame = labelled(spark, rows, declared)
    assert frame.columns[:7] == [
        *("user_id", "item_id", "timestamp", "event", "label", "label_deal", "label_seen")
    ]
    assert by_event(frame, "label", "label_deal", "label_seen") == {
        (1, 1, 10, "buy"): (1.0, 1.0, 1.0),
        (2, 1, 10, "view"): (0.0, 0.0, 1.0),
        (3, 1, 10, "click"): (0.0, 0.0, 1.0),
    }


def test_events_that_are_no_examples_have_no_label(spark: Any) -> None:
    declared = source(label={"kind": "all_positive"}, examples=["click"])
    frame = labelled(spark, [(1, 1, 10, "click", None), (1, 1, 11, "buy", None)], declared)
    assert by_event(frame, "label") == {(1, 1, 10, "click"): 1.0, (1, 1, 11, "buy"): None}


def brute_force(
    rows: list[tuple[Any, ...]], within: int, end: int, *, same_item: bool, early: str
) -> dict[tuple[Any, ...], float | None]:
    expected: dict[tuple[Any, ...], float | None] = {}
    for user, item, time, event, _ in rows:
        converted = any(
            u == user and (i == item or not same_item) and e == "buy" and time < t <= time + within
            for u, i, t, e, _ in rows
        )
        known = time + within <= end or (early == "count" and converted)
        label = float(converted) if known else None
        expected[user, item, time, event] = label if event == "click" else None
    return expected


@pytest.mark.parametrize("same_item", [True, False])
@pytest.mark.parametrize("early", ["wait", "count"])
@pytest.mark.parametrize("until", [None, 60 * DAY])
def test_conversions_agree_with_every_pair_compared(
    spark: Any, same_item: bool, early: str, until: int | None
) -> None:
    draw = random.Random(3)
    kinds = ["view", "click", "click", "buy"]
    drawn = {
        (draw.randint(1, 6), draw.randint(1, 3), draw.randint(0, 40) * DAY // 2, draw.choice(kinds))
        for _ in range(400)
    }
    rows = [(*row, None) for row in sorted(drawn)]
    rule = {"kind": "conversion", "events": ["buy"], "within": "3d", "same_item": same_item}
    declared = source(
        time={"from": "t", "complete_until": until},
        label={**rule, "early": early},
        examples=["click"],
    )
    end = until or max(row[2] for row in rows)
    expected = brute_force(rows, 3 * DAY, end, same_item=same_item, early=early)
    found = by_event(labelled(spark, rows, declared), "label")
    assert found == expected
    assert {0.0, 1.0} <= set(found.values())


def test_a_conversion_of_the_same_second_or_of_a_bad_row_is_none(spark: Any) -> None:
    rule = {"kind": "conversion", "events": ["buy"], "within": "60s"}
    declared = source(
        time={"from": "t", "complete_until": 1000, "latest": 100}, label=rule, examples=["click"]
    )
    rows = [
        (1, 1, 10, "click", None),
        (1, 1, 10, "buy", None),
        (2, 1, 10, "click", None),
        (2, 1, 70, "buy", None),
        (3, 1, 10, "click", None),
        (3, 1, 71, "buy", None),
        (4, 1, 50, "click", None),
        (4, 1, 101, "buy", None),  # out of range
    ]
    found = by_event(labelled(spark, rows, declared), "label")
    clicks = {key[0]: label for key, label in found.items() if key[3] == "click"}
    assert clicks == {1: 0.0, 2: 1.0, 3: 0.0, 4: 0.0}


def test_no_part_keeps_a_label_that_is_known_in_the_next(spark: Any) -> None:
    from reclife.transforms.labels import known_by
    from reclife.transforms.split import Cuts

    times = [0, 9, 10, 20, 39, 40, 41, 99]
    frame = spark.createDataFrame(
        [(time, 1.0, 0.0) for time in times], "timestamp bigint, label double, label_buy double"
    )
    kept = known_by(frame, Cuts(20, 50), {"label_buy": 10}).collect()
    assert {row["timestamp"] for row in kept if row["label_buy"] is not None} == {0, 9, 20, 39, 99}
    assert all(row["label"] == 1.0 for row in kept)
    assert known_by(frame, Cuts(None, None), {"label_buy": 10}) is frame
    with pytest.raises(DataError, match=r"lasts 30 seconds.*label_buy takes 30 seconds"):
        known_by(frame, Cuts(20, 50), {"label_buy": 30})
