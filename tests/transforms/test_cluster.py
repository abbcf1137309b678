"""A standalone Spark master and two workers give what local mode and one process give."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.standalone import standalone

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a master with two workers of one core each."""
    with standalone(project, tmp_path_factory.mktemp("cluster")) as address:
        yield address


def computed(master: str, partitions: int, zone: str, out: Path) -> tuple[pa.Table, dict[str, Any]]:
    """Run the job with driver, Java and workers in a zone; return features and what it told."""
    out.mkdir()
    arguments = ("--master", master, "--partitions", str(partitions), "--out", str(out))
    command = [sys.executable, "-m", "tests.transforms.cluster_job", *arguments]
    project = os.environ["RECLIFE_PROJECT"]
    paths = os.pathsep.join(filter(None, (project, os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": paths, "TZ": zone}
    done = subprocess.run(
        command, check=False, env=environment, cwd=project, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    told = json.loads((out / "told.json").read_text(encoding="utf-8"))
    return pq.read_table(out / "features").sort_by("row").combine_chunks(), told


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> tuple[pa.Table, dict[str, Any]]:
    return computed("local[2]", 2, "UTC", tmp_path_factory.mktemp("jobs") / "local")


def test_a_cluster_gives_the_values_and_state_of_local_mode_bit_for_bit(
    cluster: str, local: tuple[pa.Table, dict[str, Any]], tmp_path: Path
) -> None:
    spread, told = computed(cluster, 5, "Asia/Tokyo", tmp_path / "cluster")
    assert told["executors"] == 2
    assert told["state"] == local[1]["state"]
    assert local[0].num_rows > 1_500
    assert_same(spread, local[0])


def test_a_driver_elsewhere_gives_the_same(
    local: tuple[pa.Table, dict[str, Any]], tmp_path: Path
) -> None:
    rows, told = computed("local[2]", 3, "America/New_York", tmp_path / "new_york")
    assert told["state"] == local[1]["state"]
    assert_same(rows, local[0])


def assert_same(found: pa.Table, expected: pa.Table) -> None:
    """Every value is the same to its last bit; a NaN, of which raw columns have some, is one."""
    assert found.select(expected.column_names).schema.equals(expected.schema)
    for name in expected.column_names:
        assert repr(found[name].to_pylist()) == repr(expected[name].to_pylist()), name
