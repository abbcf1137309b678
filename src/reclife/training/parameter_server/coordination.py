"""The chief's way to the other tasks: it waits for them, but not for ever."""

import threading
import time
from collections.abc import Callable
from functools import partial
from queue import Empty, Queue
from typing import Any, NamedTuple, NoReturn, TypeVar

from reclife.errors import EnvironmentProblem
from reclife.training.launchers.cluster import Cluster
from reclife.training.launchers.waiting import wait_for

Coordinator = Any
T = TypeVar("T")

_CONNECT_SECONDS = 2.0
_DEVICE = "/job:ps/replica:0/task:{}/device:CPU:0"


class Connected(NamedTuple):
    """What hands work to the workers, how many these are, and the devices of the servers."""

    coordinator: Coordinator
    workers: int
    servers: tuple[str, ...]


def connect(cluster: Cluster, seconds: float) -> Connected:
    """Return the workers and servers of `cluster`, once all of them answer.

    Raises:
        EnvironmentProblem: A task does not answer within `seconds`.
    """
    import tensorflow as tf

    deadline = time.monotonic() + seconds
    others = [task for task in cluster.tasks if task.job != "chief"]
    wait_for(cluster, others, seconds)
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
    try:
        coordinator = bounded(connected, left)
    except TimeoutError:
        raise EnvironmentProblem(
            f"Training did not start: not all of {names} took part within {seconds:g} seconds. "
            "Look into their logs, or raise start_seconds of the launcher."
        ) from None
    return Connected(
        coordinator,
        len(cluster.jobs["worker"]),
        tuple(_DEVICE.format(k) for k in range(len(cluster.jobs["ps"]))),
    )


def bounded(call: Callable[[], T], seconds: float) -> T:
    """Return what `call` returns, in a thread of its own that is given up after `seconds`.

    Raises:
        TimeoutError: It did not return in time.
    """
    answers: Queue[Callable[[], T]] = Queue()

    def run() -> None:
        try:
            value = call()
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            answers.put(partial(_raise, error))
        else:
            answers.put(lambda: value)

    threading.Thread(target=run, daemon=True, name="bounded").start()
    try:
        answer = answers.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    return answer()


def _raise(error: BaseException) -> NoReturn:
    raise error
