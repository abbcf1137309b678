"""The declaration of features refuses what cannot work, by name."""

from typing import Any

import pytest
from pydantic import ValidationError

from reclife.config.features import FeaturesConfig

ITEM = {"kind": "category", "name": "item", "source": "item", "column": "item_id"}


def declared(*features: dict[str, Any]) -> FeaturesConfig:
    return FeaturesConfig.model_validate(
        {"split": {"kind": "global_time"}, "features": [ITEM, *features]}
    )


def test_defaults() -> None:
    config = declared()
    assert config.negatives.kind == "none"
    assert config.declaration("item").kind == "category"
    with pytest.raises(KeyError):
        config.declaration("itme")


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (ITEM, "unique"),
        ({"kind": "count", "name": "label", "by": "user"}, "reserved"),
        ({"kind": "count", "name": "n", "by": "genre"}, "by"),
        ({"kind": "count", "name": "n", "by": "user", "windw": 3}, "windw"),
        ({"kind": "affinity", "name": "a", "of": "item"}, "`of: item` names no feature"),
        ({"kind": "sequence", "name": "h", "of": "genres"}, "`of: genres` names no feature"),
        ({**ITEM, "name": "again", "table": "item", "min_count": 5}, "declared in two ways"),
        ({"kind": "as_of", "name": "x"}, "as_of"),
    ],
)
def test_a_wrong_feature_is_named(feature: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        declared(feature)


def test_the_two_columns_of_an_affinity_are_taken() -> None:
    genres = {
        "kind": "multi_category",
        "name": "genres",
        "source": "item",
        "column": "genres",
        "max_length": 3,
    }
    affinity = {"kind": "affinity", "name": "taste", "of": "genres"}
    declared(genres, affinity)
    with pytest.raises(ValidationError, match="taste_max"):
        declared(genres, affinity, {"kind": "count", "name": "taste_max", "by": "user"})
