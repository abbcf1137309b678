"""From a user's own file to published recommendations, without touching Python."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.e2e.outcomes import auc, check_lists, interactions
from tests.e2e.projects import succeed
from tests.fixtures import worlds

pytestmark = pytest.mark.slow
Fresh = Callable[[str], Path]


def test_chinese_headers_and_tabs(fresh: Fresh) -> None:
    project = fresh("chinese")
    path = worlds.chinese_ratings(project / "data" / "01_raw", encoding="gb18030")
    succeed(project, "reclife", "init", str(path), "--env", "mine")
    succeed(project, "kedro", "run", "--env", "mine")
    lists = check_lists(project, 60, set(range(1, 81)))
    assert lists.schema.field("user_id").type == pa.int64()
    assert auc(project) > 0.7


def test_no_times_and_german_headers(fresh: Fresh) -> None:
    project = fresh("untimed")
    ratings, items = worlds.untimed_ratings(project.parent / "outside")
    succeed(project, "reclife", "init", str(ratings), "--items", str(items), "--env", "mine")
    succeed(project, "kedro", "run", "--env", "mine")
    check_lists(project, 60, set(range(80)))
    assert "timestamp" not in interactions(project).column_names
    assert auc(project) > 0.55  # users and items alone, from 1,300 ratings


def test_clicks_with_iso_times_and_ids_that_are_texts(fresh: Fresh) -> None:
    project = fresh("clicks")
    files = worlds.clicks(project / "data" / "01_raw")
    arguments = ["--items", str(files[1]), "--users", str(files[2]), "--env", "mine"]
    succeed(project, "reclife", "init", str(files[0]), *arguments)
    succeed(project, "kedro", "run", "--env", "mine")
    lists = check_lists(project, 60, {f"sku-{item}" for item in range(80)})
    users = set(pc.unique(lists["user_id"]).to_pylist())
    assert users == {f"{user:03d}" for user in range(60)}
    assert auc(project) > 0.7
