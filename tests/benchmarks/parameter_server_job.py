"""Trains DeepFM on click rows by parameter servers of this machine; a line of figures a training.

Bytes are those that the loopback interface counted during the second epoch: run it in a network of
its own (`unshare -n`), or nothing else may use the interface. `cpu_ms` is the processor time of a
step by role, over all processes of the role.
"""

import argparse
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from socket import socket
from struct import pack
from typing import Any

import numpy as np
import pyarrow as pa

from reclife.config.topology import ParameterServerConfig
from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec
from reclife.training.launchers.cluster import TF_CONFIG, Cluster
from reclife.training.launchers.supervisor import Supervisor
from tests.benchmarks.click_rows import CATEGORIES
from tests.benchmarks.training_job import declaration, read

SERVER = """
from os import environ
from reclife.training.launchers.cluster import from_tf_config
from reclife.training.launchers.guard import die_with_parent
from reclife.training.parameter_server.server import started
die_with_parent()
started(*from_tf_config(environ["TF_CONFIG"])).join()
"""


def main() -> None:
    """Train once for each wire, and without servers, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("--rows", type=int, help="rows of the data to train on; all unless given")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--wires", type=json.loads, default=[{}], help="JSON, a list of wires")
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--batches-per-unit", type=int, default=1)
    parser.add_argument("--prefetch", action="store_true")
    parser.add_argument("--larger", type=int, default=1, help="times as many rows as there are ids")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--local", action="store_true", help="also without servers")
    chosen = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    loopback_up()
    spec, table = read(chosen.data)
    tables = [t.model_copy(update={"size": t.size * chosen.larger}) for t in spec.tables]
    spec = spec.model_copy(update={"tables": tuple(tables)})
    table, test = table.slice(0, chosen.rows), read(chosen.test)[1]
    config = declaration("adagrad").model_copy(update={"batch_size": chosen.batch})
    with tempfile.TemporaryDirectory() as root, cluster(chosen, Path(root)) as running:
        for _ in range(chosen.repeats):
            for wire in chosen.wires:
                topology = ParameterServerConfig.model_validate(
                    {
                        "workers": chosen.workers,
                        "servers": chosen.servers,
                        "batches_per_unit": chosen.batches_per_unit,
                        "prefetch": chosen.prefetch,
                        "wire": wire,
                    }
                )
                declared = config.model_copy(update={"topology": topology})
                show(measured(declared, spec, table, test, Path(root), running))
            if chosen.local:
                show(measured(config, spec, table, test, Path(root), running))


def show(figures: dict[str, Any]) -> None:
    """Print one line."""
    print(json.dumps(figures), flush=True)  # noqa: T201 - this is what the program is for


@contextmanager
def cluster(chosen: argparse.Namespace, folder: Path) -> Iterator[Any]:
    """Start workers and servers; yield what hands work to them."""
    from reclife.training.parameter_server.coordination import connect

    found = Cluster.on_this_machine({"chief": 1, "worker": chosen.workers, "ps": chosen.servers})
    with Supervisor(
        command=lambda _: [sys.executable, "-c", SERVER],
        environment=lambda task: {TF_CONFIG: found.tf_config(task)},
        logs=folder / "tasks",
    ) as processes:
        for task in found.tasks[1:]:
            processes.start(task)
        pids: dict[str, list[int]] = {"chief": [os.getpid()], "worker": [], "ps": []}
        for task in found.tasks[1:]:
            pids[task.job].append(processes.pid(task))
        yield connect(found, 300), pids


def measured(
    config: TrainingConfig,
    spec: FeatureSpec,
    table: pa.Table,
    test: pa.Table,
    root: Path,
    running: tuple[Any, dict[str, list[int]]],
) -> dict[str, Any]:
    """Train two epochs and return the figures of the second one."""
    from reclife.training.parameter_server.trainer import asynchronous
    from reclife.training.train import train

    topology = config.topology
    trainers, name = None, "local"
    if isinstance(topology, ParameterServerConfig):
        trainers = asynchronous(running[0], topology, root / "columns")
        wire = topology.wire
        name = f"{topology.workers} workers, {topology.servers} servers, {wire.pull}/{wire.push}"
    counter = Counter(trainers, running[1])
    with tempfile.TemporaryDirectory() as folder:
        places = {"checkpoints": Path(folder) / "checkpoints", "logs": Path(folder) / "logs"}
        report = train(
            config, spec, table, test, run_id="benchmark", trainers=counter.made, **places
        ).report
    warm, timed = report.epochs
    steps = report.steps // 2
    return {
        "topology": name,
        "ids": sum(spec.table(feature).size for feature in CATEGORIES),
        "batch": config.batch_size,
        "rows_per_s": round(len(table) / timed.seconds),
        "auc": [round(row.validation["like"]["auc"], 5) for row in (warm, timed)],
        "bytes_per_step": round(counter.received / steps),
        "cpu_ms": {role: round(1000 * x / steps, 2) for role, x in counter.seconds.items()},
        "unique_rows": round(unique_rows(table, config.batch_size, steps)),
        "steps": steps,
    }


class Counter:
    """Counts, over the steps of the last epoch, what the interface received and what roles did."""

    def __init__(self, trainers: Any, pids: dict[str, list[int]]) -> None:
        from reclife.training.replicas import Alone
        from reclife.training.synchronous import synchronous

        self._trainers = trainers or synchronous(Alone())
        self._pids = pids
        self.received = 0
        self.seconds: dict[str, float] = {}

    def made(self, *arguments: Any) -> Any:
        """Return the trainer, its steps counted."""
        trainer = self._trainers(*arguments)
        steps = trainer.steps

        def counted(work: Any) -> Iterator[Any]:
            before, spent = received(), self._spent()
            yield from steps(work)
            self.received = received() - before
            self.seconds = {role: x - spent[role] for role, x in self._spent().items()}

        trainer.steps = counted
        return trainer

    def _spent(self) -> dict[str, float]:
        return {role: sum(map(processor_seconds, pids)) for role, pids in self._pids.items()}


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def received() -> int:
    """Return the bytes that came in through the loopback interface so far."""
    lines = Path("/proc/net/dev").read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if line.strip().startswith("lo:"))
    return int(line.partition(":")[2].split()[0])


def unique_rows(table: pa.Table, batch: int, steps: int) -> float:
    """Return how many distinct ids a batch has on average, over the first ones."""
    looked = min(steps, 10)
    found = 0
    for name in CATEGORIES:
        ids = table[name].to_numpy()
        found += sum(len(np.unique(ids[i * batch : (i + 1) * batch])) for i in range(looked))
    return found / looked


def loopback_up() -> None:
    """Switch the loopback interface on, as it is not in a new network namespace."""
    with socket() as found:
        ioctl(found, 0x8914, pack("16sh", b"lo", 1 | 64).ljust(40, b"\0"))


if __name__ == "__main__":
    try:
        main()
    except BaseException:  # noqa: BLE001 - TensorFlow's threads keep a failed process alive
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
