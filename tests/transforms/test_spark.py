"""The distributed features are those of one process, bit for bit."""

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from reclife.transforms.engine.requests import features_for

KEYS = [("user_id", "ascending"), ("item_id", "ascending"), ("timestamp", "ascending")]


@pytest.mark.parametrize(("partitions", "zone"), [(1, "UTC"), (3, "Asia/Tokyo"), (8, "UTC")])
def test_spark_and_one_process_agree_bit_for_bit(
    spark: Any,
    make_world: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    partitions: int,
    zone: str,
) -> None:
    from reclife.transforms.engine.spark import features_for_spark

    world = make_world(11, text_ids=partitions == 3)
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    try:
        frames = [spark.createDataFrame(t) for t in (world.events, world.items, world.users)]
        events = frames[0].repartition(partitions)
        found = features_for_spark(
            events, events, *frames[1:], world.state, item_cut=1_000_050
        ).toArrow()
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
        monkeypatch.undo()
        time.tzset()
    expected = features_for(
        world.events, world.events, world.items, world.users, world.state, item_cut=1_000_050
    )
    found = found.select(expected.column_names).sort_by(KEYS)
    assert found.to_pylist() == expected.sort_by(KEYS).to_pylist()
    assert os.environ.get("TZ") != "Asia/Tokyo"


def test_a_missing_event_column_is_named(spark: Any, make_world: Callable[..., Any]) -> None:
    from reclife.errors import DataError
    from reclife.transforms.engine.spark import features_for_spark

    world = make_world(0, rows=20)
    events, items, users = (
        spark.createDataFrame(t)
        for t in (world.events.drop_columns("rating"), world.items, world.users)
    )
    with pytest.raises(DataError, match="rating"):
        features_for_spark(events, events, items, users, world.state, item_cut=None)
