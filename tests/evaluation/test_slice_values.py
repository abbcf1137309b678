"""Slices of strange columns, against plain loops and by hand."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.slices import ActivitySlice, ColumnSlice, NewUsersSlice
from reclife.errors import DataError
from reclife.evaluation import slices
from reclife.evaluation.slice_values import of_ranges, of_values


def rows_of(found: dict[str, np.ndarray]) -> dict[str, list[int]]:
    return {name: np.flatnonzero(mask).tolist() for name, mask in found.items() if mask.any()}


@pytest.mark.parametrize("most", [1, 3, 100, 20_000])
def test_ten_thousand_values_with_nulls_equal_plain_loops(most: int) -> None:
    rng = np.random.default_rng(most)
    numbers = rng.zipf(1.3, 30_000) % 10_000
    values = [None if n % 7 == 0 else f"v{n:05d}" for n in numbers.tolist()]
    named = [value or "missing" for value in values]
    kept = [name for name, _ in sorted(Counter(named).items(), key=lambda p: (-p[1], p[0]))][:most]
    expected: dict[str, list[int]] = {}
    for row, name in enumerate(named):
        expected.setdefault(f"x:{name if name in kept else 'other'}", []).append(row)
    assert rows_of(of_values("x", pa.array(values), None, most)) == expected


def test_a_value_called_other_or_missing_keeps_its_rows() -> None:
    jobs = pa.array(["other", "other", "other", "missing", "missing", None, "clerk", "chef"])
    assert rows_of(of_values("job", jobs, None, 3)) == {
        "job:other": [0, 1, 2],
        "job:missing": [3, 4],
        "job:(missing)": [5],
        "job:(other)": [6, 7],
    }


@pytest.mark.parametrize(
    ("values", "separator", "expected"),
    [
        (["a|b", "b||", "", None, " a "], "|", {"a": [0, 4], "b": [0, 1], "missing": [2, 3]}),
        ([["a", "b"], [], None, ["b", None]], None, {"a": [0], "b": [0, 3], "missing": [1, 2, 3]}),
        (pa.array([[1, 2], [2, 2]], pa.list_(pa.int64(), 2)), None, {"1": [0], "2": [0, 1]}),
        ([1.5, float("nan"), None], None, {"1.5": [0], "missing": [1, 2]}),
        ([True, False, None], None, {"true": [0], "false": [1], "missing": [2]}),
        ([2**53 + 1, 2**53, None], None, {str(2**53 + 1): [0], str(2**53): [1], "missing": [2]}),
        (["10:30", "日本"], None, {"10:30": [0], "日本": [1]}),
        ([], None, {}),
        (pa.array([None, None], pa.null()), None, {"missing": [0, 1]}),
    ],
)
def test_strange_values(values: object, separator: str | None, expected: dict) -> None:
    array = values if isinstance(values, pa.Array) else pa.array(values)
    found = rows_of(of_values("x", array, separator, 10))
    assert found == {f"x:{name}": rows for name, rows in expected.items()}


def test_what_cannot_be_shown_as_text_is_told() -> None:
    with pytest.raises(DataError, match=r"'x' holds struct.*choose a column of texts"):
        of_values("x", pa.array([{"a": 1}]), None, 3)
    with pytest.raises(DataError, match="bounds need numbers, 'x' holds string"):
        of_ranges("x", pa.array(["a"]), (1.0,))


def test_a_column_without_a_value_is_missing_in_all_rows() -> None:
    assert rows_of(of_ranges("x", pa.array([None, None]), (1, 5))) == {"x:missing": [0, 1]}


def test_ranges_are_called_by_all_their_digits_and_parts_of_numbers_as_such() -> None:
    big = (1_700_000_000, 1_700_000_001, 1_700_000_100)
    assert list(rows_of(of_ranges("t", pa.array([1_700_000_000, 1_700_000_050, 1]), big))) == [
        "t:below 1700000000",
        "t:1700000000",
        "t:1700000001-1700000099",
    ]
    rated = of_ranges("rating", pa.array([3.0, 3.5, 4.0, None]), (3, 4))
    assert rows_of(rated) == {"rating:3 to 4": [0, 1], "rating:4+": [2], "rating:missing": [3]}


def test_one_name_in_two_tables_makes_slices_of_both() -> None:
    """And a column may be called as the slices of activity and of new users are."""
    who = slices.Entities(
        pa.table({"item_id": [7, 8], "country": ["DE", "FR"]}),
        pa.table({"user_id": [1, 2], "country": ["FR", "FR"], "user": ["known", "lost"]}),
    )
    test = pa.table({"user_id": [1, 1, 2], "item_id": [7, 8, 7]})
    declared = (
        ColumnSlice(column="country"),
        ColumnSlice(source="user", column="country"),
        ColumnSlice(source="user", column="user"),
        NewUsersSlice(),
        ActivitySlice(bounds=(1,)),
    )
    found = slices.of_rows(declared, test.slice(2), test, np.array([0, 1, 5]), who)
    assert rows_of(found) == {
        "item country:DE": [0, 2],
        "item country:FR": [1],
        "user country:FR": [0, 1, 2],
        "user user:known": [0, 1],
        "user user:lost": [2],
        "user:known": [2],
        "user:unknown": [0, 1],
        "earlier_events:0": [0],
        "earlier_events:1+": [1, 2],
    }
