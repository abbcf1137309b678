"""Starts the tasks of a cluster as processes of this machine, watches them, and ends them all."""

import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, final

from reclife.errors import TrainingError
from reclife.training.launchers.cluster import Task

_LOG = logging.getLogger(__name__)
_POLL_SECONDS = 0.1
_GRACE_SECONDS = 5.0
_TAIL_BYTES = 4096


@final
@dataclass
class Supervisor:
    """The processes of a cluster; on leaving the context none of them is left.

    Args:
        command: The command line of a task.
        environment: What a task's environment has beyond this one's.
        logs: Folder for one log file a task.
        restarts: How often each task may be started again after it failed.
    """

    command: Callable[[Task], Sequence[str]]
    environment: Callable[[Task], Mapping[str, str]]
    logs: Path
    restarts: Mapping[Task, int] = field(default_factory=dict)
    _running: dict[Task, subprocess.Popen[bytes]] = field(default_factory=dict)
    _failures: dict[Task, int] = field(default_factory=dict)

    def __enter__(self) -> Self:
        """Return the supervisor; nothing is started yet."""
        self.logs.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End whatever still runs."""
        self.stop()

    def start(self, task: Task) -> None:
        """Start `task`; what it prints is appended to its log."""
        with self.log(task).open("ab") as output:
            self._running[task] = subprocess.Popen(
                list(self.command(task)),
                env={**os.environ, **self.environment(task)},
                stdin=subprocess.PIPE,  # its end tells the task that this process is gone
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # an interrupt at the terminal reaches it by `stop`
            )

    def log(self, task: Task) -> Path:
        """Return the log file of `task`."""
        return self.logs / f"{task}.log"

    def pid(self, task: Task) -> int:
        """Return the process id of `task`."""
        return self._running[task].pid

    def wait(self, tasks: Sequence[Task], needed: Callable[[], bool] = lambda: True) -> None:
        """Return once all of `tasks` ended well; the other tasks have to live until then.

        Without `tasks` all of them have to live. Returns, too, when they are not `needed` any more.

        Raises:
            TrainingError: A task ended badly, or too early, and may not be started again.
        """
        open_tasks = set(tasks)
        while needed():
            for task, process in list(self._running.items()):
                status = process.poll()
                if status is None or task not in self._running:
                    continue
                if status == 0 and task in tasks:
                    open_tasks.discard(task)
                else:
                    self._failed(task, status)
            if tasks and not open_tasks:
                return
            time.sleep(_POLL_SECONDS)

    def _failed(self, task: Task, status: int) -> None:
        failures = self._failures[task] = self._failures.get(task, 0) + 1
        if failures > self.restarts.get(task, 0):
            raise TrainingError(
                f"Task {task} {_ending(status)}, and training cannot go on without it. "
                f"{self._last_words(task)}Run the stage again: it goes on from the last checkpoint."
            )
        _LOG.warning("Task %s %s: started again.", task, _ending(status))
        self.start(task)

    def _last_words(self, task: Task) -> str:
        log = self.log(task)
        lines = log.read_bytes()[-_TAIL_BYTES:].decode(errors="replace").strip().splitlines()
        said = f" its last line: {lines[-1]!r}." if lines else " it said nothing."
        return f"Its log is {log};{said} "

    def stop(self) -> None:
        """End every task that still runs: first politely, then outright."""
        alive = [p for p in self._running.values() if p.poll() is None]
        for process in alive:
            _signal(process, signal.SIGTERM)
        deadline = time.monotonic() + _GRACE_SECONDS
        for process in alive:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                _signal(process, signal.SIGKILL)
                process.wait()
        for process in self._running.values():
            if process.stdin is not None:
                process.stdin.close()
        self._running.clear()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signal the whole session of `process`: it may have children of its own."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return


def _ending(status: int) -> str:
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}" if status else "ended before its time"
