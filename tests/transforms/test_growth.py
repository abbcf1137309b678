"""Vocabularies grow by appending: an id, once given, stays."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.transforms.rows import state_of

from reclife.config.features import FeaturesConfig
from reclife.errors import ConfigError
from reclife.transforms.engine.growth import extends, grow
from reclife.transforms.state import FeatureState

PLACE = {"kind": "category", "name": "place", "source": "interaction", "column": "x"}
YEAR = {"kind": "bucketize", "name": "year", "source": "interaction", "column": "y"}
HOUR = {"kind": "date_part", "name": "hour", "part": "hour", "time_zone": "UTC"}
QUARTILES = {**YEAR, "cut": {"kind": "quantiles", "count": 4}}
AT_TEN = {**YEAR, "cut": {"kind": "boundaries", "values": [10]}}
AT_FIVE = {**YEAR, "cut": {"kind": "boundaries", "values": [5]}}


def places(*values: Any, **changes: Any) -> FeatureState:
    return state_of({**PLACE, **changes}, vocabularies={"place": pa.array(values)})


def test_new_values_are_appended_in_their_own_order() -> None:
    grown = grow(places("b", "a"), places("c", "a", "d", "b"))
    assert grown.vocabularies["place"].to_pylist() == ["b", "a", "c", "d"]
    rare = grow(places("b", "a"), places("c"))
    assert rare.vocabularies["place"].to_pylist() == ["b", "a", "c"]


@pytest.mark.parametrize(("limit", "expected"), [(3, "bac"), (2, "ba"), (1, "ba"), (9, "bacd")])
def test_the_largest_size_counts_all_values(limit: int, expected: str) -> None:
    grown = grow(places("b", "a"), places("c", "a", "d", "b", max_size=limit))
    assert grown.vocabularies["place"].to_pylist() == list(expected)


def test_ids_of_values_and_buckets_stay() -> None:
    earlier = places("b", "a", oov_buckets=3)
    grown = grow(earlier, places("c", "a", oov_buckets=3))
    asked = pa.array(["a", "b", "zz", None])
    assert grown.encode("place", asked).tolist() == earlier.encode("place", asked).tolist()
    assert grown.encode("place", pa.array(["c"])).tolist() == [earlier.table_size("place")]
    assert extends(earlier, grown)
    assert not extends(grown, earlier)


def test_fitted_boundaries_stay() -> None:
    first, second = (
        state_of(QUARTILES, HOUR, vocabularies={"year": pa.array(ends), "hour": pa.array([0, 1])})
        for ends in ([-1.0, 5.0], [-1.0, 7.0, 8.0])
    )
    assert grow(first, second).vocabularies["year"].to_pylist() == [-1.0, 5.0]


def test_statistics_and_declaration_are_the_new_ones() -> None:
    earlier = replace(places("a"), statistics={"mean:event:label": 0.5})
    fitted = replace(places("a", min_count=2), statistics={"mean:event:label": 0.25})
    grown = grow(earlier, fitted)
    assert (grown.statistics, grown.config) == (fitted.statistics, fitted.config)
    assert grown.hash == fitted.hash


@pytest.mark.parametrize(
    ("earlier", "fitted", "message"),
    [
        (places("a"), places("a", oov_buckets=4), "place had 0 buckets and has 4"),
        (places("a"), places(7), "place held string and holds int64"),
        (
            state_of(AT_TEN, vocabularies={"year": pa.array([-1.0, 10.0])}),
            state_of(AT_FIVE, vocabularies={"year": pa.array([-1.0, 5.0])}),
            "year does not begin with its 2 earlier values",
        ),
        (
            state_of({**PLACE, "kind": "hashed_category", "buckets": 5}),
            places("a"),
            "place had 5 buckets and has 0; place had no vocabulary",
        ),
    ],
)
def test_a_table_whose_ids_would_mean_something_else_is_refused(
    earlier: FeatureState, fitted: FeatureState, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        grow(earlier, fitted)
    assert not extends(earlier, fitted)


def test_features_come_and_go() -> None:
    both = state_of(PLACE, HOUR, vocabularies={"place": pa.array(["a"]), "hour": pa.array([0])})
    assert grow(both, places("b")).vocabularies["place"].to_pylist() == ["a", "b"]
    assert grow(places("a"), both).vocabularies["hour"].to_pylist() == [0]
    assert extends(places("a"), both)
    assert not extends(both, places("a"))  # a column is gone


CONFIG = FeaturesConfig.model_validate(
    {
        "split": {"kind": "global_time", "test": 0.2, "validation": 0.2},
        "features": [
            {"kind": "category", "name": "item", "source": "item", "column": "item_id"},
            {
                "kind": "multi_category",
                "name": "genres",
                "source": "item",
                "column": "genres",
                "max_length": 2,
                "max_size": 5,
                "oov_buckets": 2,
            },
        ],
    }
)


def fitted(spark: Any, days: int, partitions: int) -> FeatureState:
    """Fit on the log of some days: each brings two items more, its own the most frequent."""
    from reclife.transforms.engine.fit import fit

    rows = [(s % 7, (s * s) % (2 * (s // 100) + 3), float(s % 3 > 0)) for s in range(100 * days)]
    events = spark.createDataFrame(rows, "user_id bigint, item_id bigint, label double")
    items = spark.createDataFrame(
        [(i, f"g{i}|all") for i in range(30)], "item_id long, genres string"
    )
    users = events.select("user_id").distinct()
    return fit(events.repartition(partitions), items.repartition(partitions), users, CONFIG)


def test_day_after_day_ids_stay_under_any_partitioning(spark: Any, tmp_path: Path) -> None:
    first = fitted(spark, 3, 1)
    first.save(tmp_path)
    afresh = fitted(spark, 9, 2)
    second, again = (grow(FeatureState.load(tmp_path), fitted(spark, 9, n)) for n in (4, 7))
    assert second.hash == again.hash != afresh.hash
    assert extends(first, second)
    assert not extends(first, afresh)
    items = [state.vocabularies["item"].to_pylist() for state in (first, second, afresh)]
    assert items[1][: len(items[0])] == items[0]
    assert items[1][len(items[0]) :] == [item for item in items[2] if item not in items[0]]
    assert len(items[1]) > len(items[0])
    assert len(second.vocabularies["genres"]) == 5
    asked = pa.array(items[0])
    assert second.encode("item", asked).tolist() == first.encode("item", asked).tolist()
