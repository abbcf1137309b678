"""The default lifecycle on a Spark cluster, whose executors train it too."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from tests.e2e.outcomes import published
from tests.e2e.projects import succeed
from tests.standalone import standalone

pytestmark = pytest.mark.slow

MACHINE = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.executor.memoryOverhead": "256m",
    "spark.sql.shuffle.partitions": 3,
}
"""What of the environment `cluster` does not fit this machine."""


def test_every_stage_runs_on_the_cluster(
    project: Path, fresh: Callable[[str], Path], finished: Path, tmp_path: Path
) -> None:
    folder = fresh("cluster")
    with standalone(project, tmp_path, workers=3) as address:
        declare(folder, address)
        succeed(folder, "kedro", "run", "--env", "test")
    logs = sorted(log.name for log in folder.glob("data/06_models/**/tasks/*.log"))
    assert logs == ["chief-0.log", "ps-0.log", "worker-0.log"]
    assert executors(tmp_path) > 1
    for name in ("train", "validation", "test"):
        assert examples(folder, name) == examples(finished, name)
    users = [set(published(found)["user_id"].to_pylist()) for found in (folder, finished)]
    assert users[0] == users[1]


def declare(folder: Path, address: str) -> None:
    """Let the environment `test` be what `cluster` is, on this machine."""
    cluster, test = folder / "conf" / "cluster", folder / "conf" / "test"
    spark = read(cluster / "spark.yml") | MACHINE | {"spark.master": address}
    (test / "spark.yml").write_text(yaml.safe_dump(spark), encoding="utf-8")
    topology = read(cluster / "parameters" / "training.yml")["training"]["topology"]
    declared = read(test / "parameters" / "training.yml")
    declared["training"]["topology"] = topology | {"workers": 1, "servers": 1}
    path = test / "parameters" / "training.yml"
    path.write_text(yaml.safe_dump(declared), encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def executors(folder: Path) -> int:
    """Return how many executors of the cluster took part."""
    return len(list(folder.glob("worker-*/executors/*/*/stderr")))


def examples(folder: Path, name: str) -> list[dict[str, object]]:
    (path,) = folder.glob(f"data/05_model_input/**/{name}*/")
    table = pq.read_table(path, partitioning=None)
    keys = [(column, "ascending") for column in ("user_id", "timestamp", "item_id")]
    return table.sort_by(keys).to_pylist()
