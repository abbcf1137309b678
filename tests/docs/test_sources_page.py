"""The page on sources: its files are ingested as its YAML says, and give its tables."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from kedro.framework.context.context import _convert_paths_to_absolute_posix
from kedro.io import DataCatalog

from reclife.config.ingest import IngestConfig
from reclife.pipelines.ingest import nodes

PAGE = Path(__file__).parents[2] / "docs" / "sources.md"
FILE = re.compile(r"```csv (\S+)\n(.*?)```", re.DOTALL)
YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
TABLE = re.compile(r"`(interactions|items|users|quarantine)`:\n\n((?:\|[^\n]+\n)+)")


class Example(NamedTuple):
    """One section: file -> text, the catalog, the declaration, table -> (columns, rows)."""

    files: dict[str, str]
    catalog: dict[str, Any]
    config: IngestConfig
    tables: dict[str, tuple[list[str], list[list[Any]]]]


def cells(line: str) -> list[str]:
    return re.findall(r"`([^`]*)`", line)


def table(text: str) -> tuple[list[str], list[list[Any]]]:
    header, _, *lines = text.splitlines()
    return cells(header), [[json.loads(cell) for cell in cells(line)] for line in lines]


def examples() -> Iterator[Any]:
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        tables = {name: table(text) for name, text in TABLE.findall(section)}
        if not tables:
            continue
        declared: dict[str, Any] = {}
        for block in YAML.findall(section):
            declared |= yaml.safe_load(block)
        catalog = {name: entry for name, entry in declared.items() if name.startswith("raw_")}
        config = IngestConfig.model_validate(declared["ingest"])
        example = Example(dict(FILE.findall(section)), catalog, config, tables)
        yield pytest.param(example, id=section.splitlines()[0])


@pytest.mark.parametrize("example", examples())
def test_the_page_shows_what_is_ingested(spark: Any, tmp_path: Path, example: Example) -> None:
    for name, text in example.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    catalog = DataCatalog.from_config(_convert_paths_to_absolute_posix(tmp_path, example.catalog))
    parsed = nodes.parse_interactions(catalog.load("raw_interactions"), tmp_path, example.config)
    items = catalog.load("raw_items") if "raw_items" in example.catalog else None
    entities = nodes.parse_entities(parsed, items, None, example.config)
    quarantine, counts = nodes.set_aside(parsed, entities, tmp_path, example.config)
    kept = nodes.keep_interactions(parsed, counts, example.config)
    found = {"interactions": kept, "quarantine": quarantine}
    if "items" in example.tables:
        found["items"], _ = nodes.build_items(entities, kept, example.config)
    for name, (columns, rows) in example.tables.items():
        written = [list(row) for row in found[name].select(columns).collect()]
        assert sorted(map(repr, written)) == sorted(map(repr, rows_like(written, rows))), name
        if name != "quarantine":
            assert found[name].columns == columns
    spark.catalog.clearCache()


def rows_like(written: list[list[Any]], rows: list[list[Any]]) -> list[list[Any]]:
    """Return the rows of the page, whole numbers as what is written where that is a fraction."""
    kinds = [{type(value) for value in column} for column in zip(*written, strict=True)]
    return [
        [
            float(value) if float in kind and value is not None else value
            for kind, value in zip(kinds, row, strict=True)
        ]
        for row in rows
    ]


def test_every_section_that_shows_files_is_run() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert len(list(examples())) == sum("```csv" in section for section in sections) >= 7
