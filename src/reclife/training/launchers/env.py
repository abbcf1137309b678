"""The first task of a cluster that somebody else starts, as a training operator does."""

import os
from typing import final

from reclife.config.topology import EnvironmentConfig
from reclife.errors import EnvironmentProblem
from reclife.training.launchers.cluster import TF_CONFIG, from_tf_config
from reclife.training.launchers.job import Job
from reclife.training.launchers.processes import this_task
from reclife.training.launchers.roles import Roles


@final
class Environment:
    """Runs the first task of the cluster in `TF_CONFIG`; the others read the same job folder.

    They run `python -m reclife.training.task FOLDER`, and whoever started them ends them.
    """

    def __init__(self, config: EnvironmentConfig) -> None:
        self._config = config

    def run(self, job: Job, roles: Roles) -> None:
        """Return once the training in `job` is done.

        Raises:
            EnvironmentProblem: This process is not the first task of a cluster.
            ReclifeError: The task gave up, or crashed.
        """
        text = os.environ.get(TF_CONFIG)
        cluster, task = from_tf_config(text)
        first = next((t for t in cluster.tasks if t.job in ("chief", roles.awaited)), None)
        if task != first or text is None:
            raise EnvironmentProblem(
                f"This process is {task} of its cluster; the training stage runs in {first} only. "
                f"Run `python -m reclife.training.task {job.folder}` here."
            )
        this_task(job, task, text, self._config.start_seconds)
