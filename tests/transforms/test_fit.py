"""The state knows the training part alone; a declaration that does not fit is refused."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from reclife.config.features import FeaturesConfig
from reclife.errors import ConfigError
from reclife.transforms.engine.check import check_declaration
from reclife.transforms.state import FeatureState

PARTITIONS = (1, 3, 8)

CONFIG = FeaturesConfig.model_validate(
    {
        "split": {"kind": "global_time"},
        "features": [
            {"kind": "category", "name": "item", "source": "item", "column": "item_id"},
            {
                "kind": "category",
                "name": "frequent",
                "source": "item",
                "column": "item_id",
                "min_count": 2,
                "max_size": 2,
            },
            {
                "kind": "multi_category",
                "name": "genres",
                "source": "item",
                "column": "genres",
                "separator": ".",
                "max_length": 2,
            },
            {
                "kind": "numeric",
                "name": "age",
                "source": "user",
                "column": "age",
                "missing": 1,
                "log1p": True,
                "standardize": True,
            },
            {"kind": "mean", "name": "m", "by": "user", "value": "rating"},
        ],
    }
)


def test_the_state_is_that_of_the_training_part(spark: Any) -> None:
    from reclife.transforms.engine.fit import fit

    rows = [(1, 30, 1.0), (1, 10, 2.0), (2, 10, 4.5), (2, 20, 0.5), (3, 20, 3.0), (3, 40, 1.0)]
    train = spark.createDataFrame(
        [(u, i, r, float(r >= 3)) for u, i, r in rows],
        "user_id bigint, item_id bigint, rating double, label double",
    )
    items = spark.createDataFrame(
        [(10, "a.b"), (20, "b"), (30, None), (40, ".b"), (50, "planted")],
        "item_id bigint, genres string",
    )
    users = spark.createDataFrame([(1, 3.0), (2, None), (3, 0.0)], "user_id bigint, age double")
    hashes = set()
    for partitions in PARTITIONS:
        state = fit(train.repartition(partitions), items, users, CONFIG)
        hashes.add(state.hash)
    assert len(hashes) == 1
    vocabularies = {name: values.to_pylist() for name, values in state.vocabularies.items()}
    assert vocabularies == {"item": [10, 20, 30, 40], "frequent": [10, 20], "genres": ["b", "a"]}
    logs = [math.log1p(age) for age in (3.0, 3.0, 0.0, 0.0)]  # two events miss it
    mean = sum(logs) / 4
    deviation = math.sqrt(sum((x - mean) ** 2 for x in logs) / 4)
    assert state.statistics == {
        "mean:event:label": pytest.approx(2 / 6),
        "mean:event:rating": pytest.approx(2.0),
        "mean:feature:age": pytest.approx(mean, abs=1e-5),
        "deviation:feature:age": pytest.approx(deviation, abs=1e-5),
    }


def test_a_fractional_category_is_refused(spark: Any) -> None:
    from reclife.transforms.engine.fit import fit

    train = spark.createDataFrame([(1, 2, 1.0)], "user_id bigint, item_id bigint, label double")
    items = spark.createDataFrame([(2, 1.5)], "item_id bigint, genres double")
    users = train.select("user_id")
    declared = [{"kind": "category", "name": "g", "source": "item", "column": "genres"}]
    config = FeaturesConfig.model_validate({"split": {"kind": "hash"}, "features": declared})
    with pytest.raises(ConfigError, match="must be int64 or string"):
        fit(train, items, users, config)


def test_what_does_not_fit_the_data_is_listed_at_once(make_world: Callable[..., Any]) -> None:
    state: FeatureState = make_world(0).state
    with pytest.raises(ConfigError) as problem:
        check_declaration(state.config, ["user_id", "item_id", "label"], ["item_id"], ["user_id"])
    message = str(problem.value)
    for part in (
        "global_time needs event times",
        "history: kind sequence looks at earlier events",
        "item_unknown: kind unknown looks at earlier events",
        "genres: 'genres' is not a column of the items (item_id)",
        "age: 'age' is not a column of the users",
        "item_rating: 'rating' is not a column of the interactions",
    ):
        assert part in message
    columns = ["user_id", "item_id", "timestamp", "rating", "label"]
    check_declaration(state.config, columns, ["item_id", "genres"], ["user_id", "age"])
