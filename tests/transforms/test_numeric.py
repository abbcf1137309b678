"""Each step of a number by its formula, in the declared order."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms.rows import state_of, written

from reclife.transforms.engine.plan import feature_spec

NUMBER: dict[str, Any] = {"kind": "numeric", "name": "x", "source": "interaction", "column": "raw"}
RAW = [-3.0, 0.0, 2.0, 5.0, 80.0, None, math.nan]


def numbers(statistics: dict[str, float] | None = None, **changes: Any) -> pa.Table:
    state = state_of({**NUMBER, "missing": 4, **changes}, statistics=statistics)
    found = written(state, raw=pa.array(RAW))
    assert found.column_names == [f.name for f in feature_spec(state, timed=True).features]
    assert {str(field.type) for field in found.schema} == {"float"}
    return found


def test_missing_is_replaced_by_a_value_or_the_mean() -> None:
    assert numbers()["x"].to_pylist() == [-3, 0, 2, 5, 80, 4, 4]
    fitted = {"mean:present:x": 1.5}
    assert numbers(fitted, missing="mean")["x"].to_pylist() == [-3, 0, 2, 5, 80, 1.5, 1.5]


def test_the_indicator_says_what_was_missing() -> None:
    found = numbers(indicator=True, clip={"maximum": 1})
    assert found["x_missing"].to_pylist() == [0, 0, 0, 0, 0, 1, 1]
    assert found["x"].to_pylist() == [-3, 0, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("clip", "expected"),
    [
        ({"minimum": 1}, [1, 1, 2, 5, 80, 4, 4]),
        ({"maximum": 3}, [-3, 0, 2, 3, 3, 3, 3]),
        ({"minimum": 1, "maximum": 3}, [1, 1, 2, 3, 3, 3, 3]),
    ],
)
def test_numbers_are_held_in_their_range(clip: dict[str, float], expected: list[float]) -> None:
    assert numbers(clip=clip)["x"].to_pylist() == expected


def test_the_range_of_training_becomes_zero_to_one() -> None:
    fitted = {"minimum:feature:x": 0.0, "maximum:feature:x": 10.0}
    expected = [0, 0, 0.2, 0.5, 1, 0.4, 0.4]
    assert numbers(fitted, min_max=True)["x"].to_pylist() == pytest.approx(expected)
    constant = {"minimum:feature:x": 5.0, "maximum:feature:x": 5.0}
    assert numbers(constant, min_max=True)["x"].to_pylist() == [0.0] * len(RAW)


def test_steps_come_in_their_order() -> None:
    """Clip at 50, log1p, then the scale."""
    clipped = [0.0, 0.0, 2.0, 5.0, 50.0, 4.0, 4.0]
    logged = [math.log1p(value) for value in clipped]
    fitted = {"mean:feature:x": 0.5, "deviation:feature:x": 2.0}
    found = numbers(fitted, clip={"maximum": 50}, log1p=True, standardize=True)["x"]
    assert found.to_pylist() == pytest.approx([(v - 0.5) / 2 for v in logged], rel=1e-6)
    fitted = {"minimum:feature:x": 2.0, "maximum:feature:x": 50.0}
    found = numbers(fitted, clip={"maximum": 50}, log1p=True, min_max=True)["x"]
    low, high = math.log1p(2), math.log1p(50)
    expected = np.clip([(v - low) / (high - low) for v in logged], 0, 1)
    assert found.to_pylist() == pytest.approx(expected.tolist(), rel=1e-6)
