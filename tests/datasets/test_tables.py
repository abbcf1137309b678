"""Sources made of several tables, and published lists: rows as written, nothing merged silently."""

import json
from pathlib import Path
from typing import Any

import pytest
from kedro.io import DataCatalog, DatasetError

CSV = {
    "type": "spark.SparkDatasetV2",
    "file_format": "csv",
    "load_args": {"header": True},
}


def entry(folder: Path, name: str, *lines: str) -> dict[str, Any]:
    file = folder / f"{name}.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {**CSV, "filepath": str(file)}


def numbers(folder: Path, name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A table whose columns come in as numbers, not as text."""
    file = folder / f"{name}.json"
    file.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return {"type": "spark.SparkDatasetV2", "file_format": "json", "filepath": str(file)}


def load(declared: dict[str, Any]) -> Any:
    return DataCatalog.from_config({"one": declared}).load("one")


def rows(frame: Any) -> set[tuple[Any, ...]]:
    return {tuple(row) for row in frame.collect()}


def stacked(tables: dict[str, Any], **more: Any) -> Any:
    return load({"type": "reclife.datasets.stacked.Stacked", "tables": tables, **more})


def joined(tables: dict[str, Any], key: str = "sku") -> Any:
    return load({"type": "reclife.datasets.joined.Joined", "key": key, "tables": tables})


def test_tables_one_under_another(spark: Any, tmp_path: Path) -> None:
    views = entry(tmp_path, "views", "user,sku,at", "1,007,10", "2,a,11")
    orders = entry(tmp_path, "orders", "price,user,sku,bought", "9.5,1,007,12")
    found = stacked(
        {"view": views, "buy": orders}, name_column="action", rename={"buy": {"bought": "at"}}
    )
    assert found.columns == ["user", "sku", "at", "action", "price"]
    assert rows(found) == {
        ("1", "007", "10", "view", None),
        ("2", "a", "11", "view", None),
        ("1", "007", "12", "buy", "9.5"),
    }


def test_no_text_becomes_a_number_in_stacking(spark: Any, tmp_path: Path) -> None:
    texts = entry(tmp_path, "texts", "user,sku", "1,007")
    whole = numbers(tmp_path, "whole", [{"user": "2", "sku": 7}])
    with pytest.raises(DatasetError, match="column 'sku' is string in a, bigint in b"):
        stacked({"a": texts, "b": whole})


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"rename": {"a": {"usr": "u"}}}, "table a has no column 'usr' to rename"),
        ({"rename": {"a": {"user": "sku"}}}, "table a has a column 'sku' already"),
        ({"name_column": "sku"}, "table a has a column 'sku' already"),
    ],
)
def test_names_that_clash_in_stacking(
    spark: Any, tmp_path: Path, more: dict[str, Any], problem: str
) -> None:
    with pytest.raises(DatasetError, match=problem):
        stacked({"a": entry(tmp_path, "a", "user,sku", "1,2")}, **more)


def test_side_tables_beside_one(spark: Any, tmp_path: Path) -> None:
    items = entry(tmp_path, "items", "sku,title", "007,Seven", "7,Other", "9,Nine")
    prices = entry(tmp_path, "prices", "sku,price", "7,2.5", "007,1.5", "8,4", ",1", ",2")
    makers = entry(tmp_path, "makers", "maker,sku", "North,9")
    found = joined({"items": items, "prices": prices, "makers": makers})
    assert found.columns == ["sku", "title", "price", "maker"]
    assert rows(found) == {
        ("007", "Seven", "1.5", None),
        ("7", "Other", "2.5", None),
        ("9", "Nine", None, "North"),
    }


@pytest.mark.parametrize(
    ("prices", "problem"),
    [
        (("sku,price", "7,1", "7,2"), "table prices has 2 rows of sku '7'"),
        (("sku,title", "7,Old"), "table prices has title, as a table before it has"),
        (("id,price", "7,1"), "table prices lacks the key 'sku'; its columns are id, price"),
    ],
)
def test_side_tables_that_do_not_fit(
    spark: Any, tmp_path: Path, prices: tuple[str, ...], problem: str
) -> None:
    items = entry(tmp_path, "items", "sku,title", "7,Seven")
    with pytest.raises(DatasetError, match=problem):
        joined({"items": items, "prices": entry(tmp_path, "prices", *prices)})


def test_no_text_is_joined_with_a_number(spark: Any, tmp_path: Path) -> None:
    items = entry(tmp_path, "items", "sku,title", "007,Seven")
    prices = numbers(tmp_path, "prices", [{"sku": 7, "price": 1}])
    with pytest.raises(DatasetError, match="column 'sku' is string in items, bigint in prices"):
        joined({"items": items, "prices": prices})


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"type": "reclife.datasets.stacked.Stacked", "tables": {}}, "write name: {type"),
        (
            {
                "type": "reclife.datasets.stacked.Stacked",
                "tables": {"a": {**CSV, "filepath": "x"}},
                "rename": {"b": {}},
            },
            "rename: b is not among the tables",
        ),
        (
            {
                "type": "reclife.datasets.joined.Joined",
                "key": "k",
                "tables": {"a": {**CSV, "filepath": "x"}},
            },
            "nothing to be joined with",
        ),
        (
            {"type": "reclife.datasets.stacked.Stacked", "tables": {"a": {"type": "no.Such"}}},
            "no.Such",
        ),
    ],
)
def test_declarations_that_cannot_work(declared: dict[str, Any], problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        DataCatalog.from_config({"one": declared}).get("one")


def test_published_lists(spark: Any, tmp_path: Path) -> None:
    file = tmp_path / "train.txt"
    file.write_text("0 5 007  9\r\n1\n\n 12\t3 \n0 2\n", encoding="utf-8")
    declared = {"type": "reclife.datasets.interaction_lists.InteractionLists"}
    found = load({**declared, "filepath": str(file)})
    assert rows(found) == {
        ("0", "5", 0),
        ("0", "007", 1),
        ("0", "9", 2),
        ("12", "3", 0),
        ("0", "2", 0),
    }
    file.write_text("u1::i.1::i2\nu2::\n", encoding="utf-8")
    found = load({**declared, "filepath": str(file), "separator": "::"})
    assert rows(found) == {("u1", "i.1", 0), ("u1", "i2", 1)}
