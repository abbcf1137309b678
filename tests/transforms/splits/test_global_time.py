"""The cuts are ranks of the sorted times."""

from collections.abc import Callable
from typing import Any

import pytest

from reclife.config.splits import GlobalTimeSplit
from reclife.errors import DataError
from reclife.transforms.splits import divide


def test_the_cuts_are_ranks_of_the_sorted_times(spark: Any, make_world: Callable[..., Any]) -> None:
    world = make_world(5)
    times = sorted(world.events["timestamp"].to_pylist())
    test_start = times[int(0.7 * len(times))]
    before = [t for t in times if t < test_start]
    validation_start = before[int(0.8 * len(before))]
    split = GlobalTimeSplit(kind="global_time", test=0.3, validation=0.2)
    divided, cuts = divide(spark.createDataFrame(world.events).repartition(3), split)
    assert cuts == (validation_start, test_start)
    rows = divided.collect()
    assert len(rows) == len(times)
    for row in rows:
        late = row["timestamp"] >= validation_start
        expected = "test" if row["timestamp"] >= test_start else "validation" if late else "train"
        assert row["split"] == expected


def test_one_second_cannot_be_split(spark: Any) -> None:
    frame = spark.createDataFrame(
        [(1, i, 7) for i in range(9)], "user_id int, item_id int, timestamp bigint"
    )
    with pytest.raises(DataError, match="no event lies before the test part"):
        divide(frame, GlobalTimeSplit(kind="global_time"))
