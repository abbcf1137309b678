"""What no single stage can see: checks across the parameter files."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from reclife.config.root import check_parameters
from reclife.errors import ConfigError


@pytest.fixture
def declared(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in sorted((project / "conf" / "base" / "parameters").glob("*.yml")):
        found |= yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


def test_the_declared_parameters_hold(declared: dict[str, Any], project: Path) -> None:
    assert check_parameters(declared, project / "conf", None).training.model.root.kind == "deepfm"


@pytest.mark.parametrize(
    "leak",
    [
        {"kind": "category", "name": "stars", "source": "interaction", "column": "rating"},
        {"kind": "hashed_category", "name": "stars", "source": "interaction", "column": "rating",
         "buckets": 8},
        {"kind": "numeric", "name": "stars", "source": "interaction", "column": "rating",
         "missing": 0},
        {"kind": "numeric", "name": "stars", "source": "interaction", "column": "label",
         "missing": 0},
    ],
)  # fmt: skip
def test_a_feature_that_is_the_label_is_refused(
    declared: dict[str, Any], project: Path, leak: dict[str, Any]
) -> None:
    declared["features"]["features"].append(leak)
    with pytest.raises(ConfigError, match="features stars read the column that the label comes"):
        check_parameters(declared, project / "conf", None)


EVENTS = {
    "columns": {
        "user_id": {"from": "u", "type": "int64"},
        "item_id": {"from": "i", "type": "int64"},
        "rating": {"from": "r", "type": "float64"},
    },
    "time": {"from": "t"},
    "event": {"from": "e", "types": {"click": ["click"], "buy": ["buy"]}},
    "labels": {
        "like": {"kind": "threshold", "column": "rating", "at_least": 4},
        "buy": {"kind": "conversion", "events": ["buy"], "within": "7d"},
    },
}


@pytest.mark.parametrize(
    "leak",
    [
        {"kind": "numeric", "source": "interaction", "column": "label_buy", "missing": 0},
        {"kind": "category", "source": "interaction", "column": "weight"},
    ],
)
def test_the_label_of_no_task_may_be_a_feature(
    declared: dict[str, Any], project: Path, leak: dict[str, Any]
) -> None:
    declared["ingest"]["interactions"] = EVENTS
    declared["features"]["features"].append({**leak, "name": "answer"})
    with pytest.raises(ConfigError, match="features answer read the column that the label comes"):
        check_parameters(declared, project / "conf", None)


LOOKING = [
    {"kind": "mean", "by": "item", "value": "label_buy"},
    {"kind": "lag", "by": "item", "value": "label_buy", "missing": 0},
    {
        "kind": "window",
        "by": "item",
        "window": "30d",
        "statistic": "rate",
        "where": {"column": "label_buy", "equals": [1.0]},
    },
]


@pytest.mark.parametrize("early", LOOKING)
def test_no_feature_looks_back_on_a_label_before_it_is_known(
    declared: dict[str, Any], project: Path, early: dict[str, Any]
) -> None:
    declared["ingest"]["interactions"] = EVENTS
    declared["features"]["features"].append({**early, "name": "rate"})
    with pytest.raises(ConfigError, match="rate reads 'label_buy', known 604800 seconds after"):
        check_parameters(declared, project / "conf", None)
    declared["features"]["past"] = {"delay": "1w"}
    check_parameters(declared, project / "conf", None)


def test_features_may_look_back_on_what_a_label_is_made_of(
    declared: dict[str, Any], project: Path
) -> None:
    declared["ingest"]["interactions"] = EVENTS
    past_types = {"kind": "category_sequence", "name": "types", "source": "interaction"}
    declared["features"]["features"] += [
        {"kind": "mean", "name": "liked", "by": "item"},
        {**past_types, "column": "event"},
    ]
    check_parameters(declared, project / "conf", None)


def test_nothing_is_calibrated_on_rows_that_the_model_has_learned(
    declared: dict[str, Any], project: Path
) -> None:
    declared["evaluation"]["calibration"] = "platt"
    declared["training"]["refit"] = False
    assert check_parameters(declared, project / "conf", None).evaluation.calibration == "platt"
    declared["training"]["refit"] = True
    with pytest.raises(ConfigError, match=r"calibration and training\.refit exclude each other"):
        check_parameters(declared, project / "conf", None)


def test_what_is_published_is_what_was_evaluated(declared: dict[str, Any], project: Path) -> None:
    declared["evaluation"]["seen"] = "keep"
    with pytest.raises(ConfigError, match=r"evaluation\.seen and scoring\.seen differ"):
        check_parameters(declared, project / "conf", None)
    declared["scoring"]["seen"] = "keep"
    check_parameters(declared, project / "conf", None)
    declared["scoring"]["rerank"]["weight"] = 0.9
    with pytest.raises(ConfigError, match=r"evaluation\.rerank and scoring\.rerank differ"):
        check_parameters(declared, project / "conf", None)


def test_all_problems_are_told_at_once_with_the_nearest_match(
    declared: dict[str, Any], project: Path
) -> None:
    declared["training"]["batchsize"] = 3
    declared["training"]["model"]["kind"] = "deepfn"
    declared["evaluation"]["bootstrap"]["resampels"] = 3
    with pytest.raises(ConfigError) as caught:
        check_parameters(declared, project / "conf", None)
    message = str(caught.value)
    assert "did you mean 'batch_size'?" in message
    assert "did you mean 'deepfm'?" in message
    assert "did you mean 'resamples'?" in message
    assert message.count("conf/base/parameters/training.yml") == 2
