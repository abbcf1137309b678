"""Columns without a value, and tables without a row: defined features, or a sentence."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.features import FeaturesConfig
from reclife.errors import DataError
from reclife.transforms.engine.requests import features_for

BIG = 2**53 + 1
ITEM = {"source": "item"}
FEATURES: list[dict[str, Any]] = [
    {"kind": "category", "name": "item", **ITEM, "column": "item_id"},
    {"kind": "category", "name": "brand", **ITEM, "column": "brand"},
    {"kind": "hashed_category", "name": "hashed", **ITEM, "column": "brand", "buckets": 5},
    {"kind": "multi_category", "name": "tags", **ITEM, "column": "tags", "max_length": 2},
    {"kind": "numeric", "name": "price", **ITEM, "column": "price", "missing": "mean",
     "standardize": True, "indicator": True},
    {"kind": "numeric", "name": "ranged", **ITEM, "column": "price", "missing": "mean",
     "log1p": True, "min_max": True},
    {"kind": "bucketize", "name": "level", **ITEM, "column": "price",
     "cut": {"kind": "quantiles", "count": 4}},
    {"kind": "vector", "name": "meaning", **ITEM, "column": "meaning", "length": 2},
    {"kind": "text_ngrams", "name": "words", **ITEM, "column": "brand", "buckets": 9,
     "max_length": 2},
    {"kind": "mean", "name": "rated", "by": "item", "value": "rating"},
    {"kind": "target_encoding", "name": "encoded", "of": "brand", "value": "rating"},
    {"kind": "lag", "name": "last", "by": "user", "value": "rating", "missing": -2},
    {"kind": "window", "name": "recent", "by": "user", "window": "1h", "statistic": "mean",
     "value": "rating", "empty": -3},
]  # fmt: skip
EVENTS = pa.table(
    {
        "user_id": [1, 1, BIG],
        "item_id": [0, BIG, BIG],
        "timestamp": [10, 20, 30],
        "label": [0.0, 1.0, 1.0],
        "rating": pa.nulls(3, pa.float64()),
    }
)
ITEMS = pa.table(
    {
        "item_id": [0, BIG, BIG - 1],
        "brand": pa.nulls(3, pa.string()),
        "tags": pa.nulls(3, pa.list_(pa.string())),
        "price": pa.nulls(3, pa.float64()),
        "meaning": pa.nulls(3, pa.list_(pa.float64())),
    }
)
USERS = pa.table({"user_id": [1, BIG]})


@pytest.fixture
def config() -> FeaturesConfig:
    return FeaturesConfig.model_validate({"split": {"kind": "hash"}, "features": FEATURES})


def test_columns_without_a_value(spark: Any, config: FeaturesConfig) -> None:
    from reclife.transforms.engine.fit import fit

    state = fit(*map(spark.createDataFrame, (EVENTS, ITEMS, USERS)), config)
    assert state.vocabularies["item"].to_pylist() == [BIG, 0]
    assert all(len(state.vocabularies[name]) == 0 for name in ("brand", "tags"))
    requests = pa.table({"user_id": [1, 7], "item_id": [BIG, BIG - 1], "timestamp": [40, 40]})
    found = features_for(requests, EVENTS, ITEMS, USERS, state, item_cut=None).to_pydict()
    assert found["item"] == [2, 1]  # the ids that a double cannot tell apart
    assert found["brand"] == found["hashed"] == found["level"] == [1, 1]
    assert found["tags"] == found["words"] == [[0, 0]] * 2
    assert found["meaning"] == [[0.0, 0.0]] * 2
    assert found["price_missing"] == [1.0, 1.0]
    for name in ("price", "ranged", "rated", "encoded"):
        assert np.isfinite(found[name]).all()
        assert len(set(found[name])) == 1
    assert (found["last"], found["recent"]) == ([-2.0, -2.0], [-3.0, -3.0])


def test_a_part_without_events(spark: Any) -> None:
    from reclife.transforms.splits import divide

    for kind in ("global_time", "leave_last_out"):
        declared = FeaturesConfig.model_validate({"split": {"kind": kind}, "features": FEATURES})
        with pytest.raises(DataError, match="split"):
            divide(spark.createDataFrame(EVENTS.slice(0, 1)), declared.split)
