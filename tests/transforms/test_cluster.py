"""A standalone Spark master and two workers give what local mode and one process give."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

DEPLOY = "org.apache.spark.deploy"
SECONDS = 180

pytestmark = pytest.mark.slow


@contextmanager
def service(folder: Path, name: str, *arguments: str) -> Iterator[Path]:
    """Run a class of Spark's standalone mode on loopback; yield its log."""
    from reclife.runtime.java import java_home

    home = java_home(Path(os.environ["RECLIFE_PROJECT"], ".java"))
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
    if home is not None:
        environment["JAVA_HOME"] = str(home)
    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    log = folder / f"{name}.log"
    command = [str(program), f"{DEPLOY}.{name}", "--host", "127.0.0.1", *arguments]
    with log.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(command, env=environment, stdout=file, stderr=file, cwd=folder)
    try:
        yield log
    finally:
        process.terminate()
        process.wait(30)


def wait_for(log: Path, text: str, count: int = 1) -> None:
    until = time.monotonic() + SECONDS
    while log.read_text(encoding="utf-8").count(text) < count:
        assert time.monotonic() < until, log.read_text(encoding="utf-8")
        time.sleep(0.5)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a master with two workers of one core each."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("master")
        ports = ("--port", str(port), "--webui-port", "0")
        log = stack.enter_context(service(folder, "master.Master", *ports))
        wait_for(log, "I have been elected leader")
        address = f"spark://127.0.0.1:{port}"
        sizes = ("--cores", "1", "--memory", "1g", "--webui-port", "0", address)
        for number in range(2):
            folder = tmp_path_factory.mktemp(f"worker{number}")
            stack.enter_context(service(folder, "worker.Worker", *sizes))
        wait_for(log, "Registering worker", 2)
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
