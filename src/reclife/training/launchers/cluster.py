"""Who is in a training cluster and under which address, in TensorFlow's own notation."""

import json
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal, Self, final, get_args

from reclife.errors import EnvironmentProblem

Role = Literal["chief", "worker", "ps"]

TF_CONFIG = "TF_CONFIG"
"""Environment variable in which TensorFlow, and training operators, describe a cluster."""

_ADDRESS = re.compile(r"[^\s:]+:\d+")


@final
@dataclass(frozen=True, order=True)
class Task:
    """One process of a cluster: the `index`-th of its `job`."""

    job: Role
    index: int

    def __str__(self) -> str:
        """Return the name that messages and log files use."""
        return f"{self.job}-{self.index}"


@final
@dataclass(frozen=True)
class Cluster:
    """The addresses, `host:port`, of every task by job."""

    jobs: Mapping[Role, tuple[str, ...]]

    @classmethod
    def on_this_machine(cls, counts: Mapping[Role, int]) -> Self:
        """Return a cluster of `counts` tasks on free loopback ports."""
        ports = iter(free_ports(sum(counts.values())))
        return cls(
            {
                job: tuple(f"127.0.0.1:{next(ports)}" for _ in range(count))
                for job, count in counts.items()
                if count
            }
        )

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Every task, job by job."""
        return tuple(Task(job, i) for job, found in self.jobs.items() for i in range(len(found)))

    def address(self, task: Task) -> str:
        """Return the address of `task`."""
        return self.jobs[task.job][task.index]

    def tf_config(self, task: Task) -> str:
        """Return what `TF_CONFIG` holds in the process of `task`."""
        cluster = {job: list(addresses) for job, addresses in self.jobs.items()}
        return json.dumps({"cluster": cluster, "task": {"type": task.job, "index": task.index}})


def from_tf_config(text: str | None) -> tuple[Cluster, Task]:
    """Return the cluster that `TF_CONFIG` describes, and which task of it this process is.

    Raises:
        EnvironmentProblem: It is not set, or not as TensorFlow and training operators write it.
    """
    if not text:
        raise EnvironmentProblem(
            "launcher: env joins a cluster that TF_CONFIG describes, but TF_CONFIG is not set: "
            "start the training under an operator that sets it, or declare launcher: processes."
        )
    try:
        found = json.loads(text)
        cluster = Cluster({job: tuple(a) for job, a in found["cluster"].items()})
        task = Task(found["task"]["type"], int(found["task"]["index"]))
        problems = list(_problems(cluster, task))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        problems = [f"{type(error).__name__}: {error}"]
    if problems:
        raise EnvironmentProblem(
            f"TF_CONFIG does not describe a cluster ({'; '.join(problems)}). Expected: "
            '{"cluster": {"worker": ["host:port", ...], ...}, '
            '"task": {"type": "worker", "index": 0}}.'
        )
    return cluster, task


def _problems(cluster: Cluster, task: Task) -> Iterator[str]:
    for job in cluster.jobs:
        if job not in get_args(Role):
            yield f"unknown job {job!r}, expected one of {', '.join(get_args(Role))}"
    for job, addresses in cluster.jobs.items():
        for address in addresses:
            if not _ADDRESS.fullmatch(address):
                yield f"{job}: {address!r} is no host:port"
    if not 0 <= task.index < len(cluster.jobs.get(task.job, ())):
        yield f"this process is said to be {task}, which the cluster does not have"


def free_ports(count: int) -> list[int]:
    """Return `count` different loopback ports that nothing listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for found in sockets:
            found.bind(("127.0.0.1", 0))
        return [found.getsockname()[1] for found in sockets]
