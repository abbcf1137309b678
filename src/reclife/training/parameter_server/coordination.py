"""The chief's way to the other tasks: it waits for them, but not for ever."""

import socket
import threading
import time
from collections.abc import Callable
from queue import Empty, Queue
from typing import Any, TypeVar

from reclife.errors import TrainingError
from reclife.training.launchers.cluster import Cluster, Task

Coordinator = Any
T = TypeVar("T")

_POLL_SECONDS = 0.2
_CONNECT_SECONDS = 2.0


def connect(cluster: Cluster, seconds: float) -> Coordinator:
    """Return what hands work to the workers of `cluster`, once all of its tasks answer.

    Raises:
        TrainingError: A task does not answer within `seconds`.
    """
    import tensorflow as tf

    deadline = time.monotonic() + seconds
    others = [task for task in cluster.tasks if task.job != "chief"]
    while missing := [task for task in others if not _answers(cluster.address(task))]:
        if time.monotonic() > deadline:
            raise TrainingError(_missing(cluster, missing, seconds))
        time.sleep(_POLL_SECONDS)
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec({job: list(found) for job, found in cluster.jobs.items()}),
        task_type="chief",
        task_id=0,
        rpc_layer="grpc",
    )

    def connected() -> Coordinator:
        strategy = tf.distribute.ParameterServerStrategy(resolver)
        return tf.distribute.coordinator.ClusterCoordinator(strategy)

    left = max(deadline - time.monotonic(), _CONNECT_SECONDS)
    names = ", ".join(str(task) for task in others)
    return bounded(connected, left, f"Not all of {names} took part within {seconds:g} seconds.")


def bounded(call: Callable[[], T], seconds: float, otherwise: str) -> T:
    """Return what `call` returns, in a thread of its own that is given up after `seconds`.

    Raises:
        TrainingError: It did not return in time; the message is `otherwise`.
    """
    answers: Queue[tuple[T | None, BaseException | None]] = Queue()

    def run() -> None:
        try:
            answers.put((call(), None))
        except BaseException as error:  # noqa: BLE001 - raised again in the other thread
            answers.put((None, error))

    threading.Thread(target=run, daemon=True, name="bounded").start()
    try:
        value, error = answers.get(timeout=seconds)
    except Empty:
        raise TrainingError(otherwise) from None
    if error is not None:
        raise error
    return value  # type: ignore[return-value]  # None only beside an error, or where T has it


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), _CONNECT_SECONDS):
            return True
    except OSError:
        return False


def _missing(cluster: Cluster, missing: list[Task], seconds: float) -> str:
    named = ", ".join(f"{task} at {cluster.address(task)}" for task in missing)
    return (
        f"Training did not start: no answer within {seconds:g} seconds from {named}. Look into the "
        "log of that task, and whether its address can be reached from here."
    )
