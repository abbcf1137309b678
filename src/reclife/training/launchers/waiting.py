"""A bounded wait for the other tasks: TensorFlow itself waits for ever and names nobody."""

import faulthandler
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from reclife.errors import EnvironmentProblem
from reclife.training.launchers.cluster import Cluster, Task

_POLL_SECONDS = 0.2
_TRY_SECONDS = 2.0


def wait_for(cluster: Cluster, tasks: Sequence[Task], seconds: float) -> None:
    """Return once something listens at the address of each of `tasks`.

    Raises:
        EnvironmentProblem: One does not answer within `seconds`; it is named.
    """
    deadline, silent = time.monotonic() + seconds, list(tasks)
    while silent := [task for task in silent if not _answers(cluster.address(task))]:
        if time.monotonic() > deadline:
            names = ", ".join(f"{task} at {cluster.address(task)}" for task in silent)
            raise EnvironmentProblem(
                f"Training did not start: no answer within {seconds:g} seconds from {names}. Look "
                "at the logs of these tasks, or raise start_seconds of the launcher."
            )
        time.sleep(_POLL_SECONDS)


@contextmanager
def meeting(cluster: Cluster, task: Task, seconds: float) -> Iterator[None]:
    """Let all tasks of `cluster` meet, then start TensorFlow's part inside the context.

    Each one listens at its own address until all others answer, and TensorFlow takes over the
    address. It starts without letting another thread of Python run: where it still hangs, the
    process is ended from outside Python, with its trace in the log.

    Raises:
        EnvironmentProblem: A task does not come within `seconds`; it is named.
    """
    deadline = time.monotonic() + seconds
    port = int(cluster.address(task).rpartition(":")[2])
    with socket.create_server(("", port), backlog=len(cluster.tasks)):
        wait_for(cluster, [other for other in cluster.tasks if other != task], seconds)
    faulthandler.dump_traceback_later(deadline - time.monotonic() + _TRY_SECONDS, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=_TRY_SECONDS):
            return True
    except OSError:
        return False
