"""From a user's own file to published recommendations, without touching Python."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.e2e.projects import succeed
from tests.fixtures import worlds

pytestmark = pytest.mark.slow
Fresh = Callable[[str], Path]


def published(project: Path) -> pa.Table:
    root = project / "data" / "07_model_output" / "recommendations"
    pointer = json.loads((root / "current.json").read_text(encoding="utf-8"))
    return pq.read_table(root / pointer["path"])


def interactions(project: Path) -> pa.Table:
    root = project / "data" / "02_intermediate" / "interactions"
    (run,) = root.iterdir()
    return pq.read_table(run)


def auc(project: Path) -> float:
    report = json.loads(
        (project / "data" / "08_reporting" / "evaluation.json").read_text(encoding="utf-8")
    )
    model = ("deepfm", "auc", "all")
    (value,) = [
        row["value"]
        for row in report["rows"]
        if (row["model"], row["metric"], row["slice"]) == model and row["task"] == "like"
    ]
    return float(value)


def check_lists(project: Path, users: int, catalogue: set[object]) -> pa.Table:
    """Every user has ten distinct, known, unseen items, ranked 1 to 10."""
    lists = published(project)
    events = interactions(project)
    pairs = zip(events["user_id"].to_pylist(), events["item_id"].to_pylist(), strict=True)
    seen = set(pairs)
    by_user: dict[object, list[tuple[int, object]]] = {}
    for row in lists.select(["user_id", "rank", "item_id"]).to_pylist():
        by_user.setdefault(row["user_id"], []).append((row["rank"], row["item_id"]))
    assert len(by_user) == users
    for user, ranked in by_user.items():
        assert [rank for rank, _ in sorted(ranked)] == list(range(1, 11))
        items = {item for _, item in ranked}
        assert len(items) == 10
        assert items <= catalogue
        assert not any((user, item) in seen for item in items)
    return lists


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
    assert auc(project) > 0.7


def test_clicks_with_iso_times_and_ids_that_are_texts(fresh: Fresh) -> None:
    project = fresh("clicks")
    files = worlds.clicks(project / "data" / "01_raw")
    arguments = ["--items", str(files[1]), "--users", str(files[2]), "--env", "mine"]
    succeed(project, "reclife", "init", str(files[0]), *arguments)
    succeed(project, "kedro", "run", "--env", "mine")
    lists = check_lists(project, 60, {f"sku-{item}" for item in range(80)})
    users = set(pc.unique(lists["user_id"]).to_pylist())
    assert users == {f"{user:03d}" for user in range(60)}
    assert auc(project) > 0.5
