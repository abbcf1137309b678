"""Copies of a model on several devices and in several processes, by TensorFlow's strategies."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, final

import tensorflow as tf
from numpy.typing import NDArray

from reclife.config.topology import MirroredConfig, MultiWorkerConfig
from reclife.training.replicas import Replicas

Array = NDArray[Any]
Tensor = Any
Strategy = Any


@final
class Distributed(Replicas):
    """The copies of a `strategy`, of which every process has as many; this one is `rank`-th."""

    def __init__(self, strategy: Strategy, rank: int = 0) -> None:
        self._strategy = strategy
        self.count = int(strategy.num_replicas_in_sync)
        here = len(strategy.extended.worker_devices)
        self.local = range(rank * here, (rank + 1) * here)

    def scope(self) -> AbstractContextManager[object]:
        """Return the scope of the strategy."""
        return self._strategy.scope()

    def run(self, step: Callable[[Any], Any], batches: Sequence[Any]) -> Any:
        """Return the first result of `step`, run once for each copy here."""
        first = self.local.start
        given = self._strategy.experimental_distribute_values_from_function(
            lambda context: batches[context.replica_id_in_sync_group - first]
        )
        found = self._strategy.run(step, args=(given,))
        return tf.nest.map_structure(
            lambda value: self._strategy.experimental_local_results(value)[0], found
        )

    def mean(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return the means, by one all-reduce."""
        context = tf.distribute.get_replica_context()
        # A tensor made outside has no device; its copy lies on that of the replica.
        summed = context.all_reduce("sum", [tf.identity(tensor) for tensor in tensors])
        return [tensor / self.count for tensor in summed]

    def together(self, ids: Tensor, rows: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Return all ids and mean rows; what travels are the rows that the copies touch."""
        shape = tf.constant([size, rows.shape[-1]], tf.int64)
        context = tf.distribute.get_replica_context()
        found = context.all_reduce("sum", tf.IndexedSlices(rows, ids, shape))
        distinct, places = tf.unique(found.indices)
        summed = tf.math.unsorted_segment_sum(found.values, places, tf.size(distinct))
        return distinct, summed / self.count

    def dense(self, gradients: Sequence[Tensor]) -> list[Tensor]:
        """Return a share of `gradients`: Keras' optimiser sums what the copies hand it."""
        return [gradient / self.count for gradient in gradients]

    def gather(self, parts: Array) -> Array:
        """Return the rows of all processes."""
        if self.count == len(self.local):
            return parts
        return self._strategy.gather(tf.constant(parts), axis=0).numpy()


def mirrored(config: MirroredConfig) -> Distributed:
    """Return copies on the declared number of GPUs, or, with fewer of those, of CPU devices.

    Called before TensorFlow did anything else in this process.
    """
    if len(tf.config.list_physical_devices("GPU")) >= config.devices:
        names = [f"GPU:{i}" for i in range(config.devices)]
    else:
        parts = [tf.config.LogicalDeviceConfiguration()] * config.devices
        tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], parts)
        names = [f"CPU:{i}" for i in range(config.devices)]
    return Distributed(tf.distribute.MirroredStrategy(names))


def multi_worker(config: MultiWorkerConfig, rank: int) -> Distributed:
    """Return copies in the processes of the cluster that `TF_CONFIG` describes.

    Called before TensorFlow did anything else in this process; returns once all of them answer.

    Args:
        config: The declaration.
        rank: Place of this process among them.
    """
    options = tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation(
            config.communication.upper()
        )
    )
    return Distributed(tf.distribute.MultiWorkerMirroredStrategy(None, options), rank)
