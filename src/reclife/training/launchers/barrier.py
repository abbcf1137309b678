"""What runs inside a barrier task of Spark: one task of the training, as a supervised process."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from reclife.errors import TrainingError
from reclife.training.launchers.cluster import TF_CONFIG, Cluster, Role, free_ports
from reclife.training.launchers.job import Job
from reclife.training.launchers.processes import task_command
from reclife.training.launchers.supervisor import Supervisor


@final
@dataclass(frozen=True)
class Host:
    """Hosts the tasks `counts` of the training in `folder`; `attempt` names this try of it.

    The tasks of a stage start together and learn one another's addresses. The first that ends
    badly, or the last that is `awaited`, ends all of them: a mark in the folder tells the others.
    """

    folder: str
    counts: Mapping[Role, int]
    awaited: Role
    attempt: str

    @property
    def mark(self) -> Path:
        """The file whose presence ends all tasks."""
        return Path(self.folder) / f"ended-{self.attempt}"

    def __call__(self, numbers: Iterator[int]) -> Iterator[str]:
        """Run the task of this partition; yield what went wrong with it, or nothing."""
        from pyspark import BarrierTaskContext

        context: Any = BarrierTaskContext.get()
        (number,) = numbers
        host = context.getTaskInfos()[context.partitionId()].address.rpartition(":")[0]
        addresses = context.allGather(f"{host}:{free_ports(1)[0]}")
        cluster = self._cluster(addresses)
        job = Job(Path(self.folder))
        task, mark = cluster.tasks[number], self.mark
        environment = {TF_CONFIG: cluster.tf_config(task)}
        awaited = task.job == self.awaited
        with Supervisor(
            command=lambda _: task_command(job),
            environment=lambda _: environment,
            logs=job.tasks,
        ) as processes:
            processes.start(task)
            try:
                processes.wait([task] if awaited else [], lambda: not mark.exists())
            except TrainingError as error:
                mark.touch()
                yield str(error)
        if awaited and self.counts[self.awaited] == 1:
            mark.touch()

    def _cluster(self, addresses: Sequence[str]) -> Cluster:
        left = iter(addresses)
        return Cluster(
            {job: tuple(next(left) for _ in range(n)) for job, n in self.counts.items() if n}
        )
