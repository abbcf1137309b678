"""A column names the part; rows of other values are counted; parts in time order have cuts."""

from typing import Any

import pytest

from reclife.config.splits import PredefinedSplit
from reclife.errors import DataError
from reclife.transforms.splits import divide

SPLIT = PredefinedSplit(kind="predefined", column="part", validation=0.5)


def frame_of(spark: Any, *parts: str | None) -> Any:
    """Return one event a second, each of another item."""
    rows = [(1, item, 100 + item, part) for item, part in enumerate(parts)]
    return spark.createDataFrame(rows, "user_id int, item_id int, timestamp bigint, part string")


def test_rows_that_name_no_part_are_counted(spark: Any) -> None:
    frame = frame_of(spark, "train", "test", "Train", None, "Train", "eval")
    with pytest.raises(DataError) as problem:
        divide(frame, SPLIT)
    assert "no part in 4 row(s): 'Train' in 2, nothing in 1, 'eval' in 1" in str(problem.value)


def test_a_part_that_nothing_belongs_to_is_named(spark: Any) -> None:
    with pytest.raises(DataError, match="no row says test"):
        divide(frame_of(spark, "train", "validation"), SPLIT)


@pytest.mark.parametrize(
    ("parts", "cuts"),
    [
        ("ttvve", (102, 104)),
        ("tvtve", (None, 104)),  # validation begins before training ends
        ("ttvev", (None, None)),  # validation is later than some of test
        ("ttevt", (None, None)),
    ],
)
def test_parts_that_follow_in_time_do_not_leak(spark: Any, parts: str, cuts: Any) -> None:
    names = {"t": "train", "v": "validation", "e": "test"}
    divided, found = divide(frame_of(spark, *(names[letter] for letter in parts)), SPLIT)
    assert found == cuts
    assert [row["split"] for row in divided.orderBy("timestamp").collect()] == [
        names[letter] for letter in parts
    ]


def test_validation_is_drawn_from_train_where_no_row_is_of_it(spark: Any) -> None:
    divided, cuts = divide(frame_of(spark, *["train"] * 400, *["test"] * 9), SPLIT)
    rows = divided.collect()
    assert all((row["split"] == "test") == (row["part"] == "test") for row in rows)
    drawn = sum(row["split"] == "validation" for row in rows)
    assert abs(drawn - 200) < 5 * 10  # five standard deviations of 400 fair coins
    assert cuts == (None, 500)
