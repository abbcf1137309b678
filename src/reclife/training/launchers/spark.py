"""The executors of the Spark session host the tasks of the training: no second cluster to own."""

import logging
import time
import uuid
from typing import Any, final

from reclife.config.topology import SparkConfig
from reclife.errors import EnvironmentProblem, TrainingError
from reclife.training.launchers.barrier import Host
from reclife.training.launchers.job import Job
from reclife.training.launchers.roles import Roles

_LOG = logging.getLogger(__name__)
_POLL_SECONDS = 0.5


@final
class Spark:
    """Runs the tasks in one stage by barrier execution, again while a crash may be recovered from.

    Spark never repeats a barrier stage with a result by itself: a lost executor is a crash like
    others. TensorFlow runs in processes of its own, which end with the task that hosts them.
    """

    def __init__(self, config: SparkConfig) -> None:
        self._config = config

    def run(self, job: Job, roles: Roles) -> None:
        """Return once the training in `job` is done.

        Raises:
            EnvironmentProblem: Spark has fewer slots than there are tasks.
            ReclifeError: A task gave up, or crashed once too often.
        """
        from reclife.runtime.spark import session

        context = session().sparkContext
        for left in range(self._config.restarts, -1, -1):
            said = self._attempt(context, job, roles)
            if problem := job.problem():
                raise problem
            if not said:
                return
            if not left:
                raise TrainingError(said[0])
            _LOG.warning("%s All tasks are started again, %d times at most.", said[0], left)

    def _attempt(self, context: Any, job: Job, roles: Roles) -> list[str]:
        """Return what went wrong, or nothing."""
        from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

        count = sum(roles.counts.values())
        self._check_slots(context, count)
        host = Host(str(job.folder), dict(roles.counts), roles.awaited, uuid.uuid4().hex[:8])
        stage = context.parallelize(range(count), count).barrier()
        try:
            found: list[str] = stage.mapPartitions(host).collect()
        except Py4JJavaError as error:
            host.mark.touch()
            return [
                f"Spark gave up the stage that hosts the training ({_first_line(error)}); the logs "
                f"of its tasks are in {job.tasks}. Run the stage again: it goes on from the last "
                "checkpoint."
            ]
        return found

    def _check_slots(self, context: Any, count: int) -> None:
        """Wait for executors; Spark itself would ask again for ten minutes."""
        deadline = time.monotonic() + self._config.start_seconds
        while (slots := _slots(context)) < count:
            if time.monotonic() > deadline:
                raise EnvironmentProblem(
                    f"The training needs {count} tasks at once, but the Spark session has {slots} "
                    "slots: declare fewer workers, or give Spark more executor cores."
                )
            time.sleep(_POLL_SECONDS)


def _slots(context: Any) -> int:
    """Return how many tasks can run at once now."""
    scala = context._jsc.sc()  # noqa: SLF001
    profile = scala.resourceProfileManager().defaultResourceProfile()
    return int(scala.maxNumConcurrentTasks(profile))


def _first_line(error: Any) -> str:
    return str(error.java_exception.getMessage()).splitlines()[0]
