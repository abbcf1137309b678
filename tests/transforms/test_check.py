"""Declarations are held against the columns before any work is done, all problems at once."""

from typing import Any

import pytest

from reclife.config.features import FeaturesConfig
from reclife.errors import ConfigError
from reclife.transforms.engine.check import check_declaration

INTERACTIONS = ["user_id", "item_id", "timestamp", "label", "device"]


def check(*features: dict[str, Any], split: str = "global_time", columns: Any = None) -> None:
    declared = {"split": {"kind": split}, "features": features}
    config = FeaturesConfig.model_validate(declared)
    check_declaration(config, columns or INTERACTIONS, ["item_id", "title"], ["user_id"])


def test_columns_of_every_kind_are_looked_for() -> None:
    features: list[dict[str, Any]] = [
        {"kind": "hashed_category", "buckets": 5},
        {"kind": "bucketize", "cut": {"kind": "quantiles", "count": 3}},
        {"kind": "vector", "length": 3},
        {"kind": "text_ngrams", "buckets": 5, "max_length": 3},
        {"kind": "numeric", "missing": "mean"},
    ]
    named = [
        {"name": f"f{i}", "source": "item", "column": "x", **f} for i, f in enumerate(features)
    ]
    with pytest.raises(ConfigError) as problem:
        check(*named)
    for feature in named:
        assert f"{feature['name']}: 'x' is not a column of the items" in str(problem.value)


def test_a_date_part_needs_the_time() -> None:
    part = {"kind": "date_part", "name": "hour", "part": "hour", "time_zone": "UTC"}
    check(part)
    with pytest.raises(ConfigError, match="hour: kind date_part reads the time"):
        check(part, split="hash", columns=["user_id", "item_id", "label"])


def test_a_feature_is_not_called_like_a_column_of_the_interactions() -> None:
    with pytest.raises(ConfigError, match="device: 'device' is a column of the interactions"):
        check(
            {
                "kind": "hashed_category",
                "name": "device",
                "source": "interaction",
                "column": "device",
                "buckets": 5,
            }
        )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"split": {"kind": "predefined", "column": "devise"}},
            "split.column 'devise' is not a column of the interactions",
        ),
        (
            {"split": {"kind": "leave_last_out", "by": "place"}},
            "split.by 'place' is not a column of the interactions",
        ),
        (
            {
                "negatives": {
                    "kind": "same_category",
                    "column": "genre",
                    "alpha": 0,
                    "otherwise": "none",
                }
            },
            "negatives.column 'genre' is not a column of the items (item_id, title)",
        ),
        (
            {"negatives": {"kind": "from_impressions", "event": "view", "choose": "newest"}},
            "from_impressions reads 'event' is not a column of the interactions",
        ),
        (
            {
                "negatives": {
                    "kind": "from_impressions",
                    "event": "view",
                    "choose": "newest",
                    "same": "visit",
                }
            },
            "negatives.same 'visit' is not a column of the interactions",
        ),
    ],
)
def test_columns_of_split_and_negatives_are_looked_for(
    changes: dict[str, Any], problem: str
) -> None:
    count = {"kind": "count", "name": "n", "by": "user"}
    declared = {"split": {"kind": "global_time"}, "features": [count], **changes}
    with pytest.raises(ConfigError) as found:
        check_declaration(
            FeaturesConfig.model_validate(declared), INTERACTIONS, ["item_id", "title"], ["user_id"]
        )
    assert problem in str(found.value)


@pytest.mark.parametrize(
    ("changes", "columns", "problem"),
    [
        (
            {"negatives": {"kind": "uniform"}},
            [*INTERACTIONS, "sampling_probability"],
            "sampling_probability is a column of the interactions already",
        ),
        (
            {"down_sampling": {"negatives": 0.1}},
            [*INTERACTIONS, "label_buy"],
            "holds for one task, and label_buy is another",
        ),
        (
            {"split": {"kind": "leave_last_out"}},
            ["user_id", "item_id", "label"],
            "leave_last_out needs event times",
        ),
    ],
)
def test_what_the_columns_do_not_allow_is_told(
    changes: dict[str, Any], columns: list[str], problem: str
) -> None:
    item = {"kind": "category", "name": "item", "source": "item", "column": "item_id"}
    declared = {"split": {"kind": "hash"}, "features": [item], **changes}
    with pytest.raises(ConfigError, match=problem):
        check_declaration(
            FeaturesConfig.model_validate(declared), columns, ["item_id"], ["user_id"]
        )
