"""Beside a vocabulary, other values may have buckets of their hashes."""

from typing import Any

import pyarrow as pa
import pytest
from tests.transforms.rows import state_of, written
from tests.transforms.test_hashed_category import splitmix, text_hash

from reclife.transforms.engine.plan import feature_spec

CATEGORY = {"kind": "category", "name": "code", "source": "interaction", "column": "x"}


@pytest.mark.parametrize("buckets", [0, 1, 4])
def test_values_outside_get_the_id_one_or_a_bucket(buckets: int) -> None:
    state = state_of(
        {**CATEGORY, "oov_buckets": buckets}, vocabularies={"code": pa.array([30, 10])}
    )
    found = written(state, x=pa.array([10, 30, None, 20, 31]))["code"].to_pylist()
    outside = [2 + splitmix(n) % buckets if buckets else 1 for n in (20, 31)]
    assert found == [3 + buckets, 2 + buckets, 1, *outside]
    assert feature_spec(state, timed=True).table("code").size == 4 + buckets


def test_parts_of_a_text_have_buckets_too() -> None:
    genres: dict[str, Any] = {
        "kind": "multi_category",
        "name": "genres",
        "source": "item",
        "column": "item_id",
        "max_length": 3,
        "oov_buckets": 5,
    }
    state = state_of(genres, vocabularies={"genres": pa.array(["0", "1"])})
    found = written(state, x=pa.array([0] * 3))["genres"].to_pylist()
    assert found == [[7, 0, 0], [8, 0, 0], [2 + text_hash("2") % 5, 0, 0]]


def test_a_history_of_hashed_items() -> None:
    item = {
        "kind": "hashed_category",
        "name": "item",
        "source": "item",
        "column": "item_id",
        "buckets": 9,
    }
    history = {"kind": "sequence", "name": "history", "length": 2}
    spec = feature_spec(state_of(item, history), timed=True)
    assert spec.feature("history").table == "item"
    assert spec.table("item").size == 11
