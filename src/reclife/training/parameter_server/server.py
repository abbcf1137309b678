"""What a worker or a parameter server does: wait for operations of the chief, and run them."""

from typing import Any

from reclife.training.launchers.cluster import Cluster, Task

Server = Any

_QUEUES = 4
"""Operations that run side by side: more than cores, since many of them wait for a message."""


def started(cluster: Cluster, task: Task) -> Server:
    """Return the running server of `task`; `join` waits for ever."""
    import tensorflow as tf

    tf.config.threading.set_inter_op_parallelism_threads(_QUEUES)
    return tf.distribute.Server(
        tf.train.ClusterSpec({job: list(found) for job, found in cluster.jobs.items()}),
        job_name=task.job,
        task_index=task.index,
        protocol="grpc",
    )
