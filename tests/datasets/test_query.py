"""Tables that a query makes of others."""

from pathlib import Path
from typing import Any

import pytest
from kedro.io import AbstractDataset, DatasetError

from reclife.errors import DataError

CLICKS, PAGES = "user,page\n1,007\n2,8\n2,007\n", "page,topic\n007,lamps\n8,chairs\n"


def table(path: Path, text: str) -> dict[str, Any]:
    path.write_text(text, encoding="utf-8")
    read = {"header": True}
    return {
        "type": "spark.SparkDatasetV2",
        "filepath": str(path),
        "file_format": "csv",
        "load_args": read,
    }


def query(folder: Path, sql: str) -> AbstractDataset[Any, Any]:
    tables = {"clicks": (CLICKS, "clicks.csv"), "pages": (PAGES, "pages.csv")}
    entry = {
        "type": "reclife.datasets.query.Query",
        "sql": sql,
        "tables": {name: table(folder / file, text) for name, (text, file) in tables.items()},
    }
    return AbstractDataset.from_config("raw_interactions", entry)


@pytest.mark.usefixtures("spark")
def test_a_query_joins_tables(tmp_path: Path) -> None:
    sql = "SELECT user, page, topic FROM {clicks} JOIN {pages} USING (page) ORDER BY user, page"
    found = query(tmp_path, sql).load()
    assert [tuple(row) for row in found.collect()] == [
        ("1", "007", "lamps"),
        ("2", "007", "lamps"),
        ("2", "8", "chairs"),
    ]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT * FROM {cliks}", r"sql: \{cliks\} is not among the tables: clicks, pages"),
        ("SELECT colour FROM {clicks}", "sql: .*colour"),
        ("SELEC * FROM {clicks}", "sql: .*SELEC"),
    ],
)
def test_mistakes_are_told_in_a_sentence(tmp_path: Path, sql: str, told: str) -> None:
    with pytest.raises((DataError, DatasetError), match=told):
        query(tmp_path, sql).load()
