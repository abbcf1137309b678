"""Facts over every row: what may be an int64 id, and what must stay text."""

from pathlib import Path

import pytest

from reclife.onboarding.profile import FIRST_ROWS, profile
from reclife.onboarding.source import examine


def column(folder: Path, values: list[str]):
    path = folder / "a.csv"
    path.write_text("id,x\n" + "".join(f"{value},y\n" for value in values), encoding="utf-8")
    return profile(examine(path, None, ",", True)).columns["id"]


@pytest.mark.parametrize(
    ("values", "exact"),
    [
        (["0", "1", "9007199254740993"], True),  # 2^53 + 1
        (["9223372036854775807", "-9223372036854775808"], True),
        (["9223372036854775808", "1"], False),  # 2^63
        (["007", "8"], False),
        (["+7", "8"], False),
        (["7.0", "8"], False),
        (["1e3", "8"], False),
        (["-0", "8"], False),
        ([" 7 ", "8"], True),  # ingest trims
        (["", "8"], True),  # a missing id is set aside
        (["", ""], False),
        (["a7", "8"], False),
    ],
)
def test_int64_only_when_every_value_comes_back_digit_by_digit(
    tmp_path: Path, values: list[str], exact: bool
) -> None:
    assert column(tmp_path, values).is_int64 == exact


@pytest.mark.parametrize(
    ("values", "decimal", "numbers"),
    [
        (["3,5", "4", "-0,25"], ",", [3.5, 4.0, -0.25]),
        (["3.5", "4"], ".", [3.5, 4.0]),
        (["4", "5"], ".", [4.0, 5.0]),
        (["1,234", "12,500", "7"], ".", []),  # a comma that may divide thousands
        (["1,234", "12,5"], ",", [1.234, 12.5]),
        (["1,2,3", "1,2"], ".", []),  # lists
        (["1.234,5", "2,5"], ".", []),
    ],
)
def test_what_stands_before_a_fraction(
    tmp_path: Path, values: list[str], decimal: str, numbers: list[float]
) -> None:
    found = column(tmp_path, [f'"{value}"' for value in values])
    assert (found.decimal, found.numbers) == (decimal, numbers)


def test_one_bad_value_far_behind_the_sample_is_seen(tmp_path: Path) -> None:
    values = [str(value) for value in range(1_200_000)]
    values[-7] = "007"
    found = column(tmp_path, values)
    assert found.rows == 1_200_000
    assert len(found.sample) < found.rows
    assert "007" not in found.sample
    assert not found.is_int64


def test_the_sample_spreads_over_the_file(tmp_path: Path) -> None:
    found = column(tmp_path, [f"v{value}" for value in range(1_200_000)])
    last = int(found.sample[-1].removeprefix("v"))
    assert len(found.sample) > FIRST_ROWS
    assert last > 600_000
