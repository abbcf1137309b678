"""The tables of the page on features are what the transforms make of the values."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from tests.transforms.rows import state_of, written

from reclife.contracts import TIME
from reclife.transforms.bucketize import as_vocabulary
from reclife.transforms.date_part import values_of

PAGE = Path(__file__).parents[2] / "docs" / "features.md"
EXAMPLE = re.compile(
    r"```yaml\n(.*?)```"  # a declaration,
    r"(?:(?!```|\n## ).)*?\n\n"  # some prose of the same section,
    r"((?:\| `[^\n]+\n)(?:\|[^\n]+\n)+)",  # and a table whose first column is `named`
    re.DOTALL,
)
VOCABULARIES = {
    "place": pa.array(["DE", "FR"]),
    "kinds": pa.array(["Drama", "Comedy"]),
    "moods": pa.array(["dark", "calm"]),
    "makers": pa.array(["North", "South"]),
    "age_group": as_vocabulary([18, 25, 60]),
    "price_level": as_vocabulary([1, 10, 100]),
    "level": as_vocabulary([10, 100]),
    "local_hour": values_of("hour"),
    "weekday": values_of("day_of_week"),
    "weekend": values_of("is_weekend"),
}
STATISTICS = {"minimum:feature:paid": 0.0, "maximum:feature:paid": 50.0}


def cells(line: str) -> list[str]:
    return [cell.replace("\\|", "|") for cell in re.findall(r"`((?:\\\||[^`])*)`", line)]


def examples() -> Iterator[tuple[str, list[dict[str, Any]], list[str], list[list[Any]]]]:
    for block, table in EXAMPLE.findall(PAGE.read_text(encoding="utf-8")):
        header, _, *lines = table.splitlines()
        features = yaml.safe_load(block)["features"]["features"]
        rows = [[json.loads(cell) for cell in cells(line)] for line in lines]
        yield features[-1]["name"], features, cells(header), rows


@pytest.mark.parametrize(
    ("features", "header", "rows"),
    [pytest.param(*example, id=name) for name, *example in examples()],
)
def test_the_page_shows_what_is_written(
    features: list[dict[str, Any]], header: list[str], rows: list[list[Any]]
) -> None:
    given = {name: [row[i] for row in rows] for i, name in enumerate(header)}
    state = state_of(*features, vocabularies=VOCABULARIES, statistics=STATISTICS)
    written_names = {name for feature in state.config.features for name in feature.outputs}
    columns = {n: pa.array(v) for n, v in given.items() if n not in (*written_names, TIME)}
    found = written(state, given.get(TIME, [0] * len(rows)), **columns)
    shown = [name for name in header if name in found.column_names]
    assert shown
    for name in shown:
        assert found[name].to_pylist() == given[name]


def test_every_kind_of_the_page_has_an_example() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sections = re.findall(r"^## (\w+)$", text, re.MULTILINE)
    shown = {feature["kind"] for _, features, _, _ in examples() for feature in features}
    assert set(sections) == shown == set(re.findall(r"^\| \[`(\w+)`\]", text, re.MULTILINE))
