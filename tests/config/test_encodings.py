"""Declarations that cannot work are refused with the feature and the reason."""

from typing import Any

import pytest
from pydantic import ValidationError

from reclife.config.features import FeaturesConfig

OF_X = {"source": "item", "column": "x"}
BASE: list[dict[str, Any]] = [
    {"kind": "category", "name": "a", **OF_X},
    {"kind": "hashed_category", "name": "b", **OF_X, "buckets": 10},
    {"kind": "multi_category", "name": "parts", **OF_X, "max_length": 2},
]


def declared(*features: dict[str, Any]) -> FeaturesConfig:
    return FeaturesConfig.model_validate(
        {"split": {"kind": "global_time"}, "features": [*BASE, *features]}
    )


def test_buckets_by_table() -> None:
    config = declared(
        {"kind": "cross", "name": "both", "of": ["a", "b"], "buckets": 20},
        {"kind": "category", "name": "c", "table": "own", "oov_buckets": 4, **OF_X},
        {"kind": "hashed_category", "name": "d", "table": "shared", "buckets": 5, **OF_X},
        {"kind": "hashed_category", "name": "e", "table": "shared", "buckets": 5, **OF_X},
    )
    tables = ("a", "b", "both", "own", "c", "shared", "e")
    assert [config.buckets(table) for table in tables] == [0, 10, 20, 4, 0, 5, 0]


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ({"kind": "hashed_category", **OF_X}, "buckets"),
        ({"kind": "hashed_category", **OF_X, "buckets": 0}, "buckets"),
        ({"kind": "cross", "of": ["a", "b"]}, r"multiplies the vocabularies"),
        ({"kind": "cross", "of": ["a"], "buckets": 9}, "at least 2"),
        ({"kind": "cross", "of": ["a", "b", "a"], "buckets": 9}, "twice"),
        ({"kind": "cross", "of": ["a", "parts"], "buckets": 9}, "parts` names no feature"),
        ({"kind": "cross", "of": ["a", "x"], "buckets": 9}, "x` names no feature"),
        ({"kind": "date_part", "part": "hour", "time_zone": "Europe/Berlim"}, "no IANA"),
        ({"kind": "date_part", "part": "hour", "time_zone": "localtime"}, "time_zone"),
        ({"kind": "date_part", "part": "minute", "time_zone": "UTC"}, "part"),
        ({"kind": "vector", **OF_X, "length": 0}, "length"),
        ({"kind": "text_ngrams", **OF_X, "buckets": 5, "max_length": 2, "n": 0}, "n"),
        ({"kind": "numeric", **OF_X, "missing": "median"}, "mean"),
        ({"kind": "numeric", **OF_X, "missing": 0, "clip": {}}, "clip needs"),
        (
            {"kind": "numeric", **OF_X, "missing": 0, "clip": {"minimum": 2, "maximum": 2}},
            "not below",
        ),
        (
            {"kind": "numeric", **OF_X, "missing": 0, "standardize": True, "min_max": True},
            "exclude each other",
        ),
        ({"kind": "category", **OF_X, "table": "b"}, "two ways"),
        ({"kind": "hashed_category", **OF_X, "table": "b", "buckets": 11}, "two ways"),
        ({"kind": "hashed_category", **OF_X, "table": "a", "buckets": 10}, "two ways"),
        ({"kind": "category", **OF_X, "table": "a", "oov_buckets": 3}, "two ways"),
    ],
)
def test_what_cannot_work_is_refused(feature: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        declared({"name": "new", **feature})


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        ({"kind": "boundaries", "values": []}, "values"),
        ({"kind": "boundaries", "values": [1, 1]}, "rise strictly"),
        ({"kind": "boundaries", "values": [2, 1]}, "rise strictly"),
        ({"kind": "boundaries", "values": [float("inf")]}, "finite"),
        ({"kind": "quantiles", "count": 1}, "count"),
        ({"kind": "log", "base": 1, "count": 3}, "base"),
        ({"kind": "log", "base": 1e6, "count": 1000}, "too large"),
    ],
)
def test_a_cut_that_cannot_work_is_refused(cut: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        declared({"kind": "bucketize", "name": "new", **OF_X, "cut": cut})


def test_the_column_of_an_indicator_is_taken() -> None:
    number = {"kind": "numeric", "name": "n", **OF_X, "missing": 0, "indicator": True}
    declared(number)
    with pytest.raises(ValidationError, match="n_missing"):
        declared(number, {"kind": "count", "name": "n_missing", "by": "user"})
