"""What is fitted on numbers, against numpy, and on columns that say little."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms.rows import written

from reclife.config.features import FeaturesConfig
from reclife.transforms.state import FeatureState

ROWS = 60
MIXED = [float("inf"), None, float("nan"), -float("inf"), *np.linspace(-3, 9, ROWS - 4).tolist()]
COLUMNS: dict[str, list[float | None]] = {
    "constant": [2.5] * ROWS,
    "nothing": [None] * ROWS,
    "mixed": MIXED,
    "two": [0.0, 1.0] * (ROWS // 2),
}
FINITE = np.array(MIXED[4:], float)


@pytest.fixture(scope="module")
def state(spark: Any) -> FeatureState:
    from reclife.transforms.engine.fit import fit

    of = {"source": "interaction"}
    quantiles = {"kind": "quantiles", "count": 4}
    features: list[dict[str, Any]] = []
    for name in COLUMNS:
        column = {**of, "column": name}
        features += [
            {"kind": "bucketize", "name": f"{name}_cut", **column, "cut": quantiles},
            {"kind": "numeric", "name": f"{name}_z", **column, "missing": 1, "standardize": True},
            {"kind": "numeric", "name": f"{name}_mean", **column, "missing": "mean"},
            {"kind": "numeric", "name": f"{name}_unit", **column, "missing": "mean",
             "min_max": True, "indicator": True},
        ]  # fmt: skip
    config = FeaturesConfig.model_validate({"split": {"kind": "hash"}, "features": features})
    ids = pa.array(np.arange(ROWS))
    columns = {n: pa.array(v, pa.float64()) for n, v in COLUMNS.items()}
    events = pa.table({"user_id": ids, "item_id": ids, "label": [1.0] * ROWS, **columns})
    frames = (events, events.select(["item_id"]), events.select(["user_id"]))
    return fit(*(spark.createDataFrame(t).repartition(3) for t in frames), config)


def look(state: FeatureState, value: float | None) -> dict[str, Any]:
    (row,) = written(state, **{n: pa.array([value], pa.float64()) for n in COLUMNS}).to_pylist()
    return dict(row)


def test_quantiles_are_those_of_the_finite_numbers(state: FeatureState) -> None:
    ends = {n: state.vocabularies[f"{n}_cut"].to_pylist()[1:] for n in COLUMNS}
    assert ends["mixed"] == pytest.approx(np.quantile(FINITE, [0.25, 0.5, 0.75]).tolist())
    assert ends["constant"] == [2.5]
    assert ends["nothing"] == []
    assert ends["two"] == [0.0, 0.5, 1.0]


def test_buckets_of_every_number(state: FeatureState) -> None:
    inf = float("inf")
    rows = [look(state, value) for value in (None, float("nan"), -inf, 2.5, inf)]
    assert [row["mixed_cut"] for row in rows] == [1, 1, 2, 3, 5]
    assert [row["constant_cut"] for row in rows] == [1, 1, 2, 3, 3]
    assert [row["nothing_cut"] for row in rows] == [1, 1, 2, 2, 2]


def test_statistics_leave_out_what_is_not_finite(state: FeatureState) -> None:
    assert state.statistics["mean:feature:mixed_z"] == pytest.approx(FINITE.mean(), abs=1e-5)
    assert state.statistics["deviation:feature:mixed_z"] == pytest.approx(FINITE.std(), abs=1e-5)
    assert state.statistics["mean:present:mixed_mean"] == pytest.approx(FINITE.mean(), abs=1e-5)
    assert state.statistics["minimum:feature:mixed_unit"] == FINITE.min()
    assert state.statistics["maximum:feature:mixed_unit"] == FINITE.max()


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), -float("inf")])
def test_what_is_no_finite_number_is_missing(state: FeatureState, value: float | None) -> None:
    row = look(state, value)
    assert row["mixed_mean"] == pytest.approx(FINITE.mean(), abs=1e-5)
    assert row["mixed_unit"] == pytest.approx(0.5, abs=1e-5)
    assert row["mixed_unit_missing"] == 1.0
    assert row["nothing_mean"] == row["nothing_unit"] == 0.0
    assert row["constant_mean"] == 2.5
    assert all(np.isfinite(number) for number in row.values())


def test_a_constant_is_scaled_to_nothing(state: FeatureState) -> None:
    row = look(state, 2.5)
    assert (row["constant_z"], row["constant_unit"], row["constant_unit_missing"]) == (0, 0, 0)
    assert look(state, 3.5)["constant_z"] == 1.0  # a deviation of 0 counts as 1
