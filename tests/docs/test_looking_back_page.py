"""The tables of the page on looking back are what the declarations make of its logs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import yaml
from tests.transforms.rows import state_of

from reclife.config.feature_list import AS_OF_KINDS
from reclife.transforms.engine.requests import features_for

PAGE = Path(__file__).parents[2] / "docs" / "looking-back.md"
BLOCK = re.compile(
    r"```yaml\n(?P<yaml>.*?)```|(?P<table>(?:\| `[^\n]+` \|\n)(?:\|[-|]+\n)(?:\| `[^\n]+\n)+)",
    re.DOTALL,
)
ITEMS = pa.table({"item_id": [10, 11, 12], "genres": ["a", "a|b", "c"]})
USERS = pa.table({"user_id": [1, 2, 3]})
VOCABULARIES = {
    "item": pa.array([10, 11]),
    "genres": pa.array(["a", "b"]),
    "type": pa.array(["view", "buy"]),
    "types": pa.array(["view", "buy"]),
}
STATISTICS = {"mean:event:label": 0.5, "mean:event:rating": 3.0}
KINDS = {"label": pa.float64(), "rating": pa.float64(), "written_at": pa.int64()}


def table(text: str) -> dict[str, list[Any]]:
    header, _, *lines = (re.findall(r"`([^`]*)`", line) for line in text.splitlines())
    rows = [[json.loads(cell) for cell in line] for line in lines]
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def arrow(columns: dict[str, list[Any]]) -> pa.Table:
    return pa.table({name: pa.array(found, KINDS.get(name)) for name, found in columns.items()})


def examples() -> Iterator[Any]:
    """Yield the log, the declaration before and the table of what it writes."""
    log, declared = pa.table({}), {}
    for found in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        if found["yaml"]:
            declared = yaml.safe_load(found["yaml"])["features"]
            continue
        columns = table(found["table"])
        names = {f["name"] for f in declared.get("features", ())}
        if any(name.removesuffix("_mean").removesuffix("_max") in names for name in columns):
            yield pytest.param(log, declared, columns, id=list(columns)[-1])
        else:
            log = arrow(columns)


@pytest.mark.parametrize(("log", "declared", "shown"), examples())
def test_the_page_shows_what_is_written(
    log: pa.Table, declared: dict[str, Any], shown: dict[str, list[Any]]
) -> None:
    state = state_of(
        *declared["features"],
        vocabularies=VOCABULARIES,
        statistics=STATISTICS,
        past=declared.get("past", {}),
    )
    written = {name for feature in state.config.features for name in feature.outputs}
    given = {name: values for name, values in shown.items() if name not in written}
    rows = len(given["timestamp"])
    requests = arrow({"user_id": [3] * rows, "item_id": [12] * rows, **given})
    found = features_for(requests, log, ITEMS, USERS, state, item_cut=None)
    for name in shown.keys() & written:
        np.testing.assert_allclose(found[name].to_pylist(), shown[name], atol=1e-6)


def test_every_kind_that_looks_back_has_an_example() -> None:
    declared = [example.values[1]["features"] for example in examples()]
    assert {feature["kind"] for features in declared for feature in features} >= set(AS_OF_KINDS)
