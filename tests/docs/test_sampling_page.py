"""The tables of the page on splits and negatives are what the declarations make of its logs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from reclife.config.features import FeaturesConfig

PAGE = Path(__file__).parents[2] / "docs" / "sampling.md"
YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
TABLE = re.compile(r"((?:\| `[^\n]+` \|\n)(?:\|[-|]+\n)(?:\| `[^\n]+\n)+)")
CATEGORIES = {"a": "lamp", "b": "chair", "c": "lamp", "d": "lamp"}
KINDS = {"user_id": pa.int64(), "timestamp": pa.int64(), "label": pa.float64()}


def cells(line: str) -> list[str]:
    return re.findall(r"`([^`]*)`", line)


def table(text: str) -> tuple[list[str], list[list[Any]]]:
    header, _, *lines = text.splitlines()
    return cells(header), [[json.loads(cell) for cell in cells(line)] for line in lines]


def examples(chapter: str) -> Iterator[Any]:
    """Yield the log, the declaration and the result of each section of a chapter."""
    page = PAGE.read_text(encoding="utf-8")
    text = re.split(r"^## ", page.partition(f"\n## {chapter}\n")[2], flags=re.MULTILINE)[0]
    first, *sections = re.split(r"^### ", text, flags=re.MULTILINE)
    shared = table(TABLE.findall(first)[-1])
    for section in sections:
        *own, result = map(table, TABLE.findall(section))
        declared = yaml.safe_load(YAML.findall(section)[0])["features"]
        log = own[0] if own else shared
        yield pytest.param(log, declared, result, id=section.splitlines()[0])


def frame(spark: Any, log: tuple[list[str], list[list[Any]]]) -> Any:
    names, rows = log
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return spark.createDataFrame(
        pa.table({name: pa.array(found, KINDS.get(name)) for name, found in columns.items()})
    )


def check(found: Any, result: tuple[list[str], list[list[Any]]]) -> None:
    names, rows = result
    written = [list(row) for row in found.select(*names).collect()]
    assert sorted(written) == [pytest.approx(row) for row in sorted(rows)]


@pytest.mark.parametrize(("log", "declared", "result"), examples("Splits"))
def test_splits(spark: Any, log: Any, declared: dict[str, Any], result: Any) -> None:
    from reclife.transforms.splits import divide

    config = FeaturesConfig.model_validate(declared)
    found, _ = divide(frame(spark, log), config.split)
    check(found, result)


@pytest.mark.parametrize(("log", "declared", "result"), examples("Negatives"))
def test_negatives(spark: Any, log: Any, declared: dict[str, Any], result: Any) -> None:
    from reclife.transforms.sampling import with_negatives

    config = FeaturesConfig.model_validate(declared)
    items = pa.table({"item_id": list(CATEGORIES), "category": list(CATEGORIES.values())})
    divided = frame(spark, log)
    check(with_negatives(divided, spark.createDataFrame(items), config.negatives, []), result)


def test_every_kind_is_shown() -> None:
    from reclife.transforms.sampling import SAMPLERS
    from reclife.transforms.splits import SPLITS

    assert {one.id for one in examples("Splits")} == set(SPLITS)
    assert {one.id for one in examples("Negatives")} == set(SAMPLERS)
