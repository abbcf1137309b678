"""A bounded wait for the other tasks: TensorFlow itself waits for ever and names nobody."""

import os
import socket
import sys
import threading
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, final

from reclife.errors import EnvironmentProblem
from reclife.training.launchers.cluster import Cluster, Task
from reclife.training.launchers.job import Job

LATE = 75
"""Exit status of a task whose peers did not come."""

_TRY_SECONDS = 2.0


@final
@dataclass
class Waiting:
    """Ends this process, `task`, when what is inside the context takes more than `seconds`.

    The tasks of `cluster` that do not answer are then named in `job`.
    """

    cluster: Cluster
    task: Task
    seconds: float
    job: Job
    _done: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        """Let the time run."""
        threading.Thread(target=self._watch, name="waiting", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the time."""
        self._done.set()

    def _watch(self) -> None:
        if self._done.wait(self.seconds):
            return
        silent = [other for other in self.cluster.tasks if not self._answers(other)]
        names = ", ".join(f"{other} ({self.cluster.address(other)})" for other in silent)
        problem = EnvironmentProblem(
            f"Training did not start within {self.seconds:g} seconds: no answer from "
            f"{names or 'some task, though all ports are open'}. Look at the logs of these tasks, "
            "or raise start_seconds of the launcher."
        )
        self.job.finish(self.task, problem)
        sys.stderr.write(f"{problem}\n")
        sys.stderr.flush()
        os._exit(LATE)

    def _answers(self, other: Task) -> bool:
        if other == self.task:
            return True
        host, _, port = self.cluster.address(other).rpartition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=_TRY_SECONDS):
                return True
        except OSError:
            return False
