"""A real Spark cluster on loopback: a standalone master and its workers."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

from reclife.runtime.java import java_home
from reclife.training.launchers.cluster import free_ports

DEPLOY = "org.apache.spark.deploy"
SECONDS = 180


@contextmanager
def standalone(
    project: Path, folder: Path, *, workers: int = 2, memory: str = "1g"
) -> Iterator[str]:
    """Yield the address of a master with `workers` workers of one core; they work in `folder`."""
    (port,) = free_ports(1)
    with ExitStack() as stack:
        ports = ("--port", str(port), "--webui-port", "0")
        log = stack.enter_context(_service(project, folder / "master", "master.Master", *ports))
        wait_for(log, "I have been elected leader")
        address = f"spark://127.0.0.1:{port}"
        sizes = ("--cores", "1", "--memory", memory, "--webui-port", "0")
        for number in range(workers):
            place = folder / f"worker-{number}"
            own = (*sizes, "--work-dir", str(place / "executors"), address)
            stack.enter_context(_service(project, place, "worker.Worker", *own))
        wait_for(log, "Registering worker", workers)
        yield address


@contextmanager
def _service(project: Path, folder: Path, name: str, *arguments: str) -> Iterator[Path]:
    """Run a class of Spark's standalone mode in `folder`; yield its log."""
    folder.mkdir()
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
    if home := java_home(project / ".java"):
        environment["JAVA_HOME"] = str(home)
    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    log = folder / "output.log"
    command = [str(program), f"{DEPLOY}.{name}", "--host", "127.0.0.1", *arguments]
    with log.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(command, env=environment, stdout=file, stderr=file, cwd=folder)
    try:
        yield log
    finally:
        process.terminate()
        process.wait(30)


def wait_for(log: Path, text: str, count: int = 1) -> None:
    """Wait until `log` holds `text`, `count` times."""
    until = time.monotonic() + SECONDS
    while log.read_text(encoding="utf-8").count(text) < count:
        assert time.monotonic() < until, log.read_text(encoding="utf-8")
        time.sleep(0.5)
