"""Buckets against a count of boundaries in plain Python."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.transforms.rows import state_of, written

from reclife.config.encodings import Boundaries, BucketizeFeature, LogScale
from reclife.transforms.bucketize import as_vocabulary, declared_boundaries
from reclife.transforms.engine.plan import feature_spec

BUCKETS: dict[str, Any] = {
    "kind": "bucketize",
    "name": "bucket",
    "source": "interaction",
    "column": "x",
}
VALUES = [-math.inf, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.9, 4.0, 1e300, math.inf, None, math.nan]


def ids(cut: dict[str, Any], values: list[float | None]) -> list[int]:
    declared = BucketizeFeature.model_validate({**BUCKETS, "cut": cut})
    vocabulary = as_vocabulary(declared_boundaries(declared.cut))
    state = state_of({**BUCKETS, "cut": cut}, vocabularies={"bucket": vocabulary})
    assert feature_spec(state, timed=True).table("bucket").size == len(vocabulary) + 2
    found: list[int] = written(state, x=pa.array(values, pa.float64()))["bucket"].to_pylist()
    return found


def counted(boundaries: list[float], value: float | None) -> int:
    if value is None or math.isnan(value):
        return 1
    return 2 + sum(boundary <= value for boundary in boundaries)


@pytest.mark.parametrize("boundaries", [[0.0], [-1.0, 0.5, 1.5, 4.0]])
def test_a_bucket_starts_at_its_boundary(boundaries: list[float]) -> None:
    found = ids({"kind": "boundaries", "values": boundaries}, VALUES)
    assert found == [counted(boundaries, value) for value in VALUES]


def test_a_log_scale_has_powers_as_boundaries() -> None:
    found = ids({"kind": "log", "base": 2, "count": 4}, VALUES)
    assert found == [counted([1.0, 2.0, 4.0], value) for value in VALUES]
    assert declared_boundaries(LogScale(kind="log", base=10, count=5)) == [1, 10, 100, 1000]


def test_equal_boundaries_are_one() -> None:
    assert as_vocabulary([3.0, 1.0, 3.0]).to_pylist() == [-np.inf, 1.0, 3.0]
    assert declared_boundaries(Boundaries(kind="boundaries", values=(1, 2))) == [1.0, 2.0]


def test_whole_numbers_are_cut_as_well() -> None:
    cut = {"kind": "boundaries", "values": [2, 4]}
    state = state_of({**BUCKETS, "cut": cut}, vocabularies={"bucket": as_vocabulary([2.0, 4.0])})
    found = written(state, x=pa.array([1, 2, 3, 4, None], pa.int64()))["bucket"]
    assert found.to_pylist() == [2, 3, 3, 4, 1]
