"""Shares of unknown ids above a declared limit fail the stage by feature, column, part and rate."""

from typing import Any

import pytest

from reclife.config.features import FeaturesConfig
from reclife.contracts import FeatureStats
from reclife.errors import ConfigError, DataError
from reclife.transforms.engine.out_of_vocabulary import check_rates

ITEM = {"kind": "category", "name": "item", "source": "item", "column": "item_id"}
HISTORY = {"kind": "sequence", "name": "history", "of": "item", "length": 3}
COUNT = {"kind": "count", "name": "count", "by": "user"}
STATS = FeatureStats(
    validation_start=None,
    test_start=None,
    leaking=True,
    label_mean=0.5,
    rows={},
    base_rates={},
    oov_rates={
        "item": {"train": 0.0, "validation": 0.05, "test": 0.125},
        "history": {"train": 0.0, "validation": 0.0, "test": 0.01},
    },
    vocabularies={},
)


def declared(**limits: Any) -> FeaturesConfig:
    return FeaturesConfig.model_validate(
        {
            "split": {"kind": "hash"},
            "features": [ITEM, HISTORY, COUNT],
            "out_of_vocabulary": limits,
        }
    )


@pytest.mark.parametrize(
    ("limits", "problems"),
    [
        ({}, []),
        ({"max_rates": {"item": 0.125}}, []),
        ({"max_rates": {"item": 0.05}}, ["item (column item_id of the items) in test: 12.50%"]),
        ({"default": 0.0, "max_rates": {"item": 1}}, ["history in test: 1.00%, at most 0.00%"]),
        ({"default": 0.02}, ["in validation: 5.00%, at most 2.00%", "in test: 12.50%"]),
    ],
)
def test_every_share_above_its_limit_is_told(limits: Any, problems: list[str]) -> None:
    config = declared(**limits)
    if not problems:
        check_rates(STATS, config)
        return
    with pytest.raises(DataError) as found:
        check_rates(STATS, config)
    assert all(problem in str(found.value) for problem in problems)
    assert str(found.value).count("at most") == len(problems)
    assert "min_count" in str(found.value)


def test_a_limit_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no feature is called itme"):
        declared(max_rates={"itme": 0.1})
    with pytest.raises(ConfigError, match="count has no vocabulary"):
        check_rates(STATS, declared(max_rates={"count": 0.1}))
