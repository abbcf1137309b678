"""The declaration of ingest refuses what cannot work, by name."""

from typing import Any

import pytest
from pydantic import ValidationError

from reclife.config.ingest import IngestConfig

EVENT = {"from": "a", "types": {"click": ["click"], "buy": ["buy", 4]}}
CONVERSION = {"kind": "conversion", "events": ["buy"], "within": "7d"}
IDS = {"user_id": {"from": "u", "type": "int64"}, "item_id": {"from": "i", "type": "string"}}


def declared(**changes: Any) -> dict[str, Any]:
    interactions = {"columns": IDS, "label": {"kind": "all_positive"}, **changes}
    return {"interactions": interactions}


def test_the_smallest_declaration() -> None:
    config = IngestConfig.model_validate(declared())
    assert config.items is None
    assert config.interactions.time is None
    assert config.interactions.columns["user_id"].source == "u"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": {"user_id": IDS["user_id"]}}, "columns must declare item_id"),
        (
            {"columns": {**IDS, "user_id": {"from": "u", "type": "float64"}}},
            "user_id must be int64 or string",
        ),
        (
            {"columns": {**IDS, "user_id": {"from": "u", "type": "int64", "missing": 0}}},
            "user_id cannot be missing",
        ),
        (
            {"columns": {**IDS, "label": {"from": "l", "type": "int64"}}},
            "'label' cannot be the name",
        ),
        ({"label": {"kind": "threshold", "column": "r", "at_least": 4}}, "'r' is not among"),
        ({"label": {"kind": "event", "column": "user_id", "positive": ["x"]}}, "does not fit"),
        ({"label": {"kind": "threshold", "column": "item_id", "at_least": 4}}, "does not fit"),
        ({"tiem": {"from": "t"}}, "tiem"),
        ({"time": {"from": "t", "format": "YYYY-MM-DD"}}, "did you mean 'yyyy-MM-dd'"),
        ({"time": {"from": "t", "format": "epoch_second"}}, "did you mean 'epoch_seconds'"),
        ({"time": {"from": "t", "format": "HH:mm"}}, "nor a pattern with a year"),
        ({"event": {"from": "a", "types": {"buy": [True]}}}, "quote the text"),
        ({"columns": {**IDS, "n": {"from": "n", "type": "int64", "missing": False}}}, "quote the"),
        ({"columns": {**IDS, "_raw": {"from": "n", "type": "int64"}}}, "'_raw' cannot be the name"),
        (
            {"columns": {**IDS, "Place": IDS["item_id"], "place": IDS["item_id"]}},
            "'place' and 'Place' differ in case only",
        ),
        (
            {"columns": {**IDS, "n": {"from": "n", "type": "int64", "decimal": ","}}},
            "decimal needs the type float64",
        ),
        (
            {"columns": {**IDS, "user_id": {"from": "u", "type": "int64_list"}}},
            "user_id must be int64 or string",
        ),
        (
            {"columns": {**IDS, "v": {"from": "v", "type": "float64_list", "missing": 0}}},
            "a list that is missing is rejected or kept",
        ),
        (
            {"columns": {**IDS, "v": {"from": "v", "type": "string", "separator": "|"}}},
            "separator needs a list type",
        ),
        ({"columns": {**IDS, "weight": {"from": "w", "type": "float64"}}}, "interactions.weight"),
        ({"columns": {**IDS, "label_b": {"from": "w", "type": "float64"}}}, "of further tasks"),
        (
            {"event": EVENT, "columns": {**IDS, "event": {"from": "a", "type": "string"}}},
            "interactions.event writes this column already",
        ),
        ({"event": {"from": "a", "types": {"buy": []}}}, "needs a name and values"),
        ({"event": {"from": "a", "types": {"buy": [" "]}}}, "needs a name and values"),
        ({"event": {"from": "a", "types": {"buy": [1], "get": ["1 "]}}}, "1 would be of two types"),
        ({"weight": {}}, "weight needs by_event, column or both"),
        ({"weight": {"by_event": {"buy": 2}}}, "types of events need interactions.event"),
        (
            {"event": EVENT, "weight": {"by_event": {"buy": 2, "clik": 1}}},
            "'clik' is no type of interactions.event; did you mean 'click'.*no weight for click",
        ),
        ({"event": EVENT, "weight": {"by_event": {"buy": 0, "click": 1}}}, "greater than 0"),
        ({"weight": {"column": "user"}}, "'user' is not among the numeric columns"),
        ({"examples": ["buy"]}, "examples: types of events need interactions.event"),
        ({"event": EVENT, "examples": ["by"]}, "did you mean 'buy'"),
        ({"labels": {"like": {"kind": "all_positive"}}}, "either `label`"),
        ({"label": None}, "either `label`"),
        ({"label": CONVERSION}, "declare interactions.time; .*declare interactions.event"),
        (
            {"label": {**CONVERSION, "events": ["bye"]}, "time": {"from": "t"}, "event": EVENT},
            "label: 'bye' is no type of interactions.event; did you mean 'buy'",
        ),
        (
            {"label": {**CONVERSION, "within": "0d"}, "time": {"from": "t"}, "event": EVENT},
            "within must be longer than 0s",
        ),
        (
            {"label": {"kind": "event", "column": "event", "positive": ["bay"]}, "event": EVENT},
            "label: 'bay' is no type of interactions.event; did you mean 'buy'",
        ),
    ],
)
def test_a_wrong_declaration_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        IngestConfig.model_validate(declared(**changes))


@pytest.mark.parametrize(
    "pattern",
    [
        "iso",
        "yyyy-MM-dd",
        "yyyy-DDD",
        "d MMM yyyy h:mm a",
        "yyyy'年'M'月'd'日'",
        "yy.M.d[ H:mm]XXX",
    ],
)
def test_patterns_that_can_be_read(pattern: str) -> None:
    time = {"from": "t", "format": pattern}
    assert IngestConfig.model_validate(declared(time=time)).interactions.time


def test_an_incremental_source_is_not_read_for_entities() -> None:
    items = {"source": "raw_interactions", "columns": {"item_id": IDS["item_id"]}}
    with pytest.raises(ValidationError, match="items cannot come from raw_interactions"):
        IngestConfig.model_validate({**declared(), "items": items, "incremental": {}})


def test_ids_have_one_type() -> None:
    items = {
        "source": "raw_items",
        "columns": {"item_id": {"from": "id", "type": "int64"}},
    }
    with pytest.raises(ValidationError, match="item_id is string in interactions but int64"):
        IngestConfig.model_validate({**declared(), "items": items})


def test_tasks_have_columns_of_their_own() -> None:
    single = IngestConfig.model_validate(declared()).interactions
    assert single.label_columns == {"like": "label"}
    rules = {"click": {"kind": "all_positive"}, "buy": CONVERSION}
    several = {"label": None, "labels": rules, "time": {"from": "t"}, "event": EVENT}
    source = IngestConfig.model_validate(declared(**several)).interactions
    assert source.label_columns == {"click": "label", "buy": "label_buy"}
    assert source.delays == {"label_buy": 7 * 86_400}
    assert source.answers == {"label", "label_buy", "weight"}
