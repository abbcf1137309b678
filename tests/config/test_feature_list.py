"""A wrong list of features is refused before anything runs, every mistake in one message."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from reclife.config.features import FeaturesConfig
from reclife.config.root import check_parameters
from reclife.errors import ConfigError

BASE: list[dict[str, Any]] = [
    {"kind": "category", "name": "item", "source": "item", "column": "item_id"},
    {"kind": "category", "name": "year", "source": "item", "column": "year"},
    {"kind": "hashed_category", "name": "agent", "source": "item", "column": "title", "buckets": 9},
]
BAD: list[tuple[dict[str, Any], str]] = [
    (
        {"kind": "category", "name": "genre", "source": "item", "column": "genrs"},
        "genre: 'genrs' is not a column of the items (item_id, title, genres, year); "
        "did you mean 'genres'?",
    ),
    (
        {"kind": "window", "name": "seen", "by": "user", "window": "7d", "statistic": "mean",
         "value": "ratng"},
        "seen: 'ratng' is not a column of the interactions (user_id, item_id, rating, timestamp, "
        "label); did you mean 'rating'?",
    ),
    (
        {"kind": "category_sequence", "name": "types", "source": "interaction", "column": "event"},
        "types: 'event' is not a column of the interactions",
    ),
    (
        {"kind": "count", "name": "year", "by": "user"},
        "year: feature names must be unique, but 2 features write it",
    ),
    ({"kind": "count", "name": "label", "by": "user"}, "label: the name is reserved"),
    ({"kind": "count", "name": "split", "by": "user"}, "split: the name is reserved"),
    (
        {"kind": "window", "name": "future", "by": "user", "window": "-7d", "statistic": "count"},
        "-7d would look forward: lengths of time reach back, as 7d does",
    ),
    (
        {"kind": "cross", "name": "a", "of": ["b", "year"], "buckets": 10},
        "a: features are made of one another in a circle: a -> b -> a",
    ),
    ({"kind": "cross", "name": "b", "of": ["a", "item"], "buckets": 10}, "a -> b -> a"),
    (
        {"kind": "cross", "name": "wide", "of": ["item", "year"]},
        "wide: a cross multiplies the vocabularies that it is of, which has no bound: declare "
        "`buckets`",
    ),
    (
        {"kind": "cross", "name": "typo", "of": ["item", "yaer"], "buckets": 10},
        "typo: `of: yaer` names no feature that a cross can use",
    ),
    (
        {"kind": "target_encoding", "name": "rate", "of": "genre_list"},
        "rate: `of: genre_list` names no feature that a target_encoding can use",
    ),
    ({"kind": "category", "name": "year_two", "source": "item", "column": "year", "table": "year",
      "min_count": 9}, "table year is declared in two ways"),
]  # fmt: skip
"""A feature that must be refused, and what is said of it."""


@pytest.fixture
def declared(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in sorted((project / "conf" / "base" / "parameters").glob("*.yml")):
        found |= yaml.safe_load(file.read_text(encoding="utf-8"))
    found["features"]["features"] = list(BASE)
    found["training"]["model"]["exclude_features"] = []
    return found


def problems(declared: dict[str, Any], project: Path) -> str:
    with pytest.raises(ConfigError) as refused:
        check_parameters(declared, project / "conf", None)
    return str(refused.value)


def test_every_mistake_is_told_in_one_message(declared: dict[str, Any], project: Path) -> None:
    declared["features"]["features"] += [feature for feature, _ in BAD]
    message = problems(declared, project)
    for _, expected in BAD:
        assert expected in message
    assert "a cross can use (agent, genre, item, year, year_two); did you mean 'year'?" in message
    assert message.count("conf/base/parameters/features.yml") >= len(BAD) - 1  # one circle of two


@pytest.mark.parametrize(("feature", "expected"), BAD, ids=[f["name"] for f, _ in BAD])
def test_each_mistake_is_told_alone(
    declared: dict[str, Any], project: Path, feature: dict[str, Any], expected: str
) -> None:
    if feature["name"] in ("a", "b"):
        other = next(f for f, _ in BAD if f["name"] == {"a": "b", "b": "a"}[feature["name"]])
        declared["features"]["features"].append(other)
    declared["features"]["features"].append(feature)
    assert expected in problems(declared, project)


def test_features_that_look_back_need_event_times(declared: dict[str, Any], project: Path) -> None:
    del declared["ingest"]["interactions"]["time"]
    back: list[dict[str, Any]] = [
        {"kind": "count", "name": "n", "by": "user"},
        {"kind": "window", "name": "w", "by": "item", "window": "1h", "statistic": "count"},
        {"kind": "sequence", "name": "s", "of": "item"},
        {"kind": "dwell_sequence", "name": "d", "cap": "1h", "unknown": 0},
        {"kind": "target_encoding", "name": "t", "of": "year"},
    ]
    declared["features"]["features"] += back
    message = problems(declared, project)
    for feature in back:
        said = f"{feature['name']}: kind {feature['kind']} looks at earlier events"
        assert f"{said}, but the data has no time" in message
    assert "split: global_time needs event times" in message


def test_no_feature_is_unused_without_being_named(declared: dict[str, Any], project: Path) -> None:
    tags = {"kind": "multi_category", "name": "tags", "source": "item", "column": "genres"}
    declared["features"]["features"].append(
        {**tags, "max_length": 2, "weights": {"kind": "suffix"}}
    )
    declared["training"]["model"]["exclude_features"] = ["yaer", "tags"]
    message = problems(declared, project)
    assert "exclude_features: no feature is called 'yaer'; did you mean 'year'?" in message
    assert "exclude_features: nothing uses tags_weights without tags" in message


def test_no_name_is_called_unknown_that_a_wrong_declaration_has() -> None:
    listed = [*BASE, {"kind": "bucketize", "name": "price", "source": "item", "column": "year"}]
    listed.append({"kind": "cross", "name": "both", "of": ["price", "year"], "buckets": 5})
    with pytest.raises(ValidationError) as refused:
        FeaturesConfig.model_validate({"split": {"kind": "global_time"}, "features": listed})
    assert "cut" in str(refused.value)
    assert "names no feature" not in str(refused.value)


BY_TYPE: list[tuple[dict[str, Any], str]] = [
    (
        {"kind": "category", "name": "a", "source": "interaction", "column": "rating"},
        "a: column 'rating' of the interactions is float64, which it cannot read; it reads int64, "
        "string",
    ),
    (
        {"kind": "numeric", "name": "b", "source": "item", "column": "title", "missing": 0},
        "b: column 'title' of the items is string, which it cannot read; it reads float64, int64",
    ),
    (
        {"kind": "bucketize", "name": "c", "source": "item", "column": "genres",
         "cut": {"kind": "quantiles", "count": 4}},
        "c: column 'genres' of the items is string",
    ),
    (
        {"kind": "vector", "name": "d", "source": "item", "column": "year", "length": 3},
        "d: column 'year' of the items is int64, which it cannot read; it reads float64_list",
    ),
    (
        {"kind": "window", "name": "e", "by": "user", "window": "7d", "statistic": "count",
         "where": {"column": "rating", "equals": [5, "five"]}},
        "e: where: column 'rating' is float64, which 'five' is not",
    ),
    (
        {"kind": "multi_category", "name": "f", "source": "item", "column": "year",
         "max_length": 2},
        "f: column 'year' of the items is int64",
    ),
]  # fmt: skip
"""A feature that cannot read its column, and what is said of it."""


def test_types_of_columns_are_told_at_once(declared: dict[str, Any], project: Path) -> None:
    declared["features"]["features"] += [feature for feature, _ in BY_TYPE]
    message = problems(declared, project)
    for _, expected in BY_TYPE:
        assert expected in message
    assert message.count("conf/base/parameters/features.yml") == len(BY_TYPE)


def test_types_of_events_that_nobody_declares(declared: dict[str, Any], project: Path) -> None:
    declared["ingest"]["interactions"]["event"] = {
        "from": "action", "types": {"view": ["v"], "buy": ["b"]},
    }  # fmt: skip
    window = {"kind": "window", "name": "bought", "by": "user", "window": "7d"}
    where = {"column": "event", "equals": ["by", "view"]}
    declared["features"]["features"].append({**window, "statistic": "count", "where": where})
    declared["features"]["negatives"] = {
        "kind": "from_impressions", "event": "veiw", "choose": "newest",
    }  # fmt: skip
    message = problems(declared, project)
    assert "bought: where: 'by' is no type of interactions.event; did you mean 'buy'?" in message
    assert (
        "negatives.event: 'veiw' is no type of interactions.event; did you mean 'view'" in message
    )


def test_types_of_what_the_split_and_negatives_read(
    declared: dict[str, Any], project: Path
) -> None:
    ingest = declared["ingest"]["interactions"]["columns"]
    ingest["place"] = {"from": "place", "type": "string"}
    declared["features"] |= {
        "split": {"kind": "leave_last_out", "by": "place"},
        "past": {"available_from": "place"},
        "negatives": {"kind": "none"},
    }
    message = problems(declared, project)
    assert "split.by: column 'place' of the interactions is string" in message
    assert "past.available_from: column 'place' of the interactions is string" in message


@pytest.mark.parametrize("circle", [["a"], ["a", "b", "c"]])
def test_circles_of_any_length_are_told_once(circle: list[str]) -> None:
    after = dict(zip(circle, [*circle[1:], circle[0]], strict=True))
    crosses = [{"kind": "cross", "name": n, "of": [after[n], "year"], "buckets": 5} for n in circle]
    with pytest.raises(ValidationError) as refused:
        FeaturesConfig.model_validate(
            {"split": {"kind": "global_time"}, "features": [*BASE, *crosses]}
        )
    assert str(refused.value).count(" -> ".join([*circle, "a"])) == 1
    assert refused.value.error_count() == 1


def test_neither_spark_nor_tensorflow_is_needed_to_refuse(project: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from reclife.config.root import check_parameters\n"
        "try: check_parameters({'features': {'features': [{'kind': 'count', 'name': 'label',"
        " 'by': 'user'}]}}, Path('conf'), None)\n"
        "except Exception as error: print('reserved' in str(error))\n"
        "print(sorted({'pyspark', 'tensorflow', 'pyarrow', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=project, capture_output=True, text=True, check=True, env=dict(os.environ),
    )  # fmt: skip
    assert done.stdout.split("\n")[:2] == ["True", "[]"]
