"""The cluster on this machine: every task a process, none of which is left in the end."""

import logging
import sys
from typing import final

from reclife.config.topology import ProcessesConfig
from reclife.errors import TrainingError
from reclife.training.launchers.cluster import TF_CONFIG, Cluster, Task
from reclife.training.launchers.job import Job
from reclife.training.launchers.roles import Roles
from reclife.training.launchers.supervisor import Supervisor

_LOG = logging.getLogger(__name__)


@final
class Processes:
    """Runs the tasks of a training, again and again while a crash may be recovered from."""

    def __init__(self, config: ProcessesConfig) -> None:
        self._config = config

    def run(self, job: Job, roles: Roles) -> None:
        """Return once the training in `job` is done.

        Raises:
            ReclifeError: A task gave up, or crashed once too often.
        """
        for left in range(self._config.restarts, -1, -1):
            try:
                self._attempt(job, roles)
            except TrainingError as error:
                if problem := job.problem():
                    raise problem from error
                if not left:
                    raise
                _LOG.warning("%s All tasks are started again, %d times at most.", error, left)
            else:
                return

    def _attempt(self, job: Job, roles: Roles) -> None:
        cluster = Cluster.on_this_machine(roles.counts)
        restarts = {
            task: self._config.restarts for task in cluster.tasks if task.job in roles.alone
        }
        with Supervisor(
            command=lambda _: task_command(job),
            environment=lambda task: {TF_CONFIG: cluster.tf_config(task)},
            logs=job.tasks,
            restarts=restarts,
        ) as processes:
            for task in cluster.tasks:
                processes.start(task)
            processes.wait([task for task in cluster.tasks if task.job == roles.awaited])


def task_command(job: Job, wait: float = 0.0) -> list[str]:
    """Return the command line of a task whose parent holds its standard input."""
    module = ["-m", "reclife.training.task"]
    return [sys.executable, *module, str(job.folder), "--guarded", "--wait", str(wait)]


def this_task(job: Job, task: Task, environment: str, wait: float) -> None:
    """Run `task` of a cluster that somebody else starts as a process of this machine.

    Raises:
        ReclifeError: It gave up or crashed.
    """
    with Supervisor(
        command=lambda _: task_command(job, wait),
        environment=lambda _: {TF_CONFIG: environment},
        logs=job.tasks,
    ) as processes:
        processes.start(task)
        try:
            processes.wait([task])
        except TrainingError as error:
            raise (job.problem() or error) from error
