"""What the tasks of a training do, by topology."""

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from reclife.config.topology import MirroredConfig, MultiWorkerConfig, ParameterServerConfig
from reclife.errors import ConfigError
from reclife.models.saved import save_model
from reclife.training import distributed
from reclife.training.launchers.cluster import Cluster, Task
from reclife.training.launchers.job import Description, Job
from reclife.training.launchers.waiting import meeting
from reclife.training.parameter_server.coordination import connect
from reclife.training.parameter_server.server import started
from reclife.training.parameter_server.trainer import asynchronous
from reclife.training.placement import devices
from reclife.training.replicas import Alone, Replicas
from reclife.training.synchronous import synchronous
from reclife.training.train import MakeTrainer, Trained, train
from reclife.training.warm_start import Start, save_optimizer

Duty = Callable[[Job, Description, Cluster | None, Task], None]


def _lead(job: Job, description: Description, trainers: MakeTrainer) -> Trained:
    """Train, by what `trainers` makes, the model that `description` declares."""
    return train(
        description.config,
        description.spec,
        job.table("train"),
        job.table("validation"),
        run_id=description.run_id,
        checkpoints=description.checkpoints,
        logs=description.logs,
        trainers=trainers,
        start=None if description.start is None else Start.load(description.start),
    )


def _keep(job: Job, description: Description, trained: Trained) -> None:
    """Write the trained model and its report where the stage looks for them."""
    writing, target = job.folder / ".outcome", job.report.parent
    writing.mkdir(exist_ok=True)
    save_model(trained.model, description.config.model, description.spec, writing / "model")
    save_optimizer(trained.optimizer, writing / "model")
    report = trained.report.model_dump_json(indent=2)
    (writing / "report.json").write_text(report, encoding="utf-8")
    writing.rename(target)


def _local(job: Job, description: Description, cluster: Cluster | None, task: Task) -> None:
    del cluster, task
    if (placement := description.config.placement) is not None:
        devices(placement.devices)  # before anything else runs on them
    _train(job, description, Alone())


def _mirrored(job: Job, description: Description, cluster: Cluster | None, task: Task) -> None:
    del cluster, task
    topology = description.config.topology
    if isinstance(topology, MirroredConfig):
        _train(job, description, distributed.mirrored(topology))


def _multi_worker(job: Job, description: Description, cluster: Cluster | None, task: Task) -> None:
    topology = description.config.topology
    if not isinstance(topology, MultiWorkerConfig) or cluster is None:
        return
    ranks = [found for found in cluster.tasks if found.job in ("chief", "worker")]
    if len(ranks) != topology.workers:
        raise ConfigError(
            f"training.topology declares {topology.workers} workers, but TF_CONFIG has "
            f"{len(ranks)} (a chief counts as one): make them equal."
        )
    with meeting(cluster, task, topology.launcher.start_seconds):
        replicas = distributed.multi_worker(topology, ranks.index(task))
    _train(job, description, replicas)


def _parameter_server(
    job: Job, description: Description, cluster: Cluster | None, task: Task
) -> None:
    topology = description.config.topology
    if not isinstance(topology, ParameterServerConfig) or cluster is None:
        return
    if task.job != "chief":
        started(cluster, task).join()  # for ever: it ends with whoever started this process
    connected = connect(cluster, topology.launcher.start_seconds)
    with TemporaryDirectory(prefix="examples-", dir=job.folder) as examples:
        trainers = asynchronous(connected, topology, Path(examples))
        _keep(job, description, _lead(job, description, trainers))


def _train(job: Job, description: Description, replicas: Replicas) -> None:
    trained = _lead(job, description, synchronous(replicas))
    if replicas.lead:
        _keep(job, description, trained)


DUTIES: Mapping[str, Duty] = MappingProxyType(
    {
        "local": _local,
        "mirrored": _mirrored,
        "multi_worker": _multi_worker,
        "parameter_server": _parameter_server,
    }
)
