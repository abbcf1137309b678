"""The declaration of ingest refuses what cannot work, by name."""

from typing import Any

import pytest
from pydantic import ValidationError

from reclife.config.ingest import IngestConfig

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
        (
            {"columns": {**IDS, "n": {"from": "n", "type": "int64", "decimal": ","}}},
            "decimal needs the type float64",
        ),
    ],
)
def test_a_wrong_declaration_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        IngestConfig.model_validate(declared(**changes))


def test_ids_have_one_type() -> None:
    items = {
        "source": "raw_items",
        "columns": {"item_id": {"from": "id", "type": "int64"}},
    }
    with pytest.raises(ValidationError, match="item_id is string in interactions but int64"):
        IngestConfig.model_validate({**declared(), "items": items})
