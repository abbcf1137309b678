"""What a finished project holds, read as its users read it: plain files."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def published(project: Path) -> pa.Table:
    root = project / "data" / "07_model_output" / "recommendations"
    pointer = json.loads((root / "current.json").read_text(encoding="utf-8"))
    return pq.read_table(project / pointer["path"])


def interactions(project: Path) -> pa.Table:
    root = project / "data" / "02_intermediate" / "interactions"
    newest = max(root.iterdir(), key=lambda path: path.name)
    return pq.read_table(newest)


def auc(project: Path) -> float:
    """The model's AUC over all test examples; on clicks the negatives among them are drawn."""
    path = project / "data" / "08_reporting" / "evaluation.json"
    (value,) = [
        row["value"]
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]
        if row["slice"] in ("all", "sampled_negatives")
        and (row["model"], row["task"], row["metric"]) == ("deepfm", "like", "auc")
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
