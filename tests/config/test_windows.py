"""Windows, delays and what belongs to which statistic."""

from typing import Any

import pytest

from reclife.config.features import FeaturesConfig
from reclife.config.windows import Past, seconds_of


def declare(**feature: Any) -> FeaturesConfig:
    declared = {"kind": "window", "name": "w", "by": "user", "window": "1d", **feature}
    return FeaturesConfig.model_validate({"split": {"kind": "hash"}, "features": [declared]})


def test_durations_are_seconds() -> None:
    texts = ["90s", "15m", "1h", "7d", "2w", "0s", "all"]
    assert [seconds_of(text) for text in texts] == [90, 900, 3600, 604_800, 1_209_600, 0, None]


WRONG = ["0d", "1", "1.5h", "1 d", "1month", "", "ALL", "\u0661h"]


@pytest.mark.parametrize("window", WRONG)
def test_a_window_looks_back_a_whole_positive_time(window: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        declare(statistic="count", window=window)


def test_nothing_looks_forward() -> None:
    with pytest.raises(ValueError, match="-1d would look forward"):
        declare(statistic="count", window="-1d")
    with pytest.raises(ValueError, match="-1h would look forward"):
        Past(delay="-1h")
    with pytest.raises(ValueError, match="-30m would look forward"):
        declare(kind="gap_sequence", session="-30m")


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ({"statistic": "sum"}, "`value` belongs to sum and mean"),
        ({"statistic": "count", "value": "rating"}, "`value` belongs to sum and mean"),
        ({"statistic": "rate"}, "rate needs `where`"),
        ({"statistic": "mean", "value": "rating", "log1p": True}, "`log1p` is for count and sum"),
        ({"statistic": "count", "empty": 1.0}, "`empty` is for mean and rate"),
        ({"statistic": "rate", "where": {"column": "event", "equals": []}}, "at least 1 item"),
        ({"statistic": "count", "by": "session"}, "'item', 'user' or 'user_item'"),
    ],
)
def test_what_does_not_fit_is_refused(feature: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declare(**feature)


def test_the_columns_read_are_known() -> None:
    where = {"column": "event", "equals": ["buy"]}
    window = declare(statistic="mean", value="price", where=where).features[0]
    assert window.kind == "window"
    assert window.reads == (("interaction", "price"), ("interaction", "event"))
    assert Past(ties=("item_id",), available_from="written").columns == ("item_id", "written")
    assert [Past().hides, Past(delay="1s").hides, Past(available_from="w").hides] == [
        False,
        True,
        True,
    ]
