"""Training in which workers pull and push at their own pace: asynchronous, at least once."""

import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, final

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from reclife.config.topology import ParameterServerConfig
from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec
from reclife.errors import ArtifactError, ConfigError
from reclife.models.saved import compiled, predict_arrays
from reclife.training import dense
from reclife.training.examples import Examples
from reclife.training.parameter_server.columns import Columns
from reclife.training.parameter_server.coordination import Connected
from reclife.training.parameter_server.forward import Forward
from reclife.training.parameter_server.ledger import Ledger
from reclife.training.parameter_server.pulse import Pulse
from reclife.training.parameter_server.shards import Shards
from reclife.training.parameter_server.statistics import Statistics
from reclife.training.parameter_server.traced import Traced
from reclife.training.parameter_server.unit import Held, Unit
from reclife.training.parameter_server.vector import Vector
from reclife.training.parameter_server.wire import Wires
from reclife.training.trainee import Trainee, trainee
from reclife.training.trainer import StepResult, Trainer, Work

Array = NDArray[Any]
Tensor = Any

_SILENT = (
    "No worker finished a unit of work within {} seconds: one stands still, or unit_seconds of the "
    "topology are too few."
)

_AHEAD = 3
"""Units handed out for each worker: one is done, the others wait for it or for a lost one."""


@final
class ParameterServerTrainer(Trainer):
    """Steps of `model` by the workers of a cluster, whose servers hold what is learnt."""

    lead = True

    def __init__(
        self,
        learner: Trainee,
        config: TrainingConfig,
        cluster: Connected,
        topology: ParameterServerConfig,
        folder: Path,
    ) -> None:
        _check(config)
        self.model = learner.model
        self.packs = learner.packs
        self.grouped = learner.objective.grouped
        self._learner = learner
        self._repeated: list[int] = []
        self._config = config
        self._coordinator = cluster.coordinator
        self._folder = folder
        self._topology = topology
        self._out = _AHEAD * cluster.workers
        self._forward = Forward(learner, config)
        servers, name, wires = cluster.servers, uuid.uuid4().hex, Wires(topology.wire)
        self._first = servers[0]
        self._shards = Shards(
            {pack: found.variable.numpy() for pack, found in self.packs.items()},
            servers,
            config.sparse_optimizer,
            wires,
            name,
            still=self.packs.keys() - learner.moving.keys(),
            evict_after=None if config.eviction is None else config.eviction.after_steps,
        )
        make = partial(dense.build, config.dense_optimizer)
        self._vector = Vector(self._forward.dense, servers, make, wires, name)
        self._statistics = Statistics(self._forward.statistics, self._first)
        self._published: Columns | None = None
        self._ledger = Ledger(0, self._first)
        self._units: dict[bool, Traced] = {}
        self._score = compiled(self.model)

    def prepare(self, examples: Examples, rows: Array) -> Array:
        """Return `rows`: the workers read `examples` by themselves."""
        if self._published is None or self._published.examples is not examples:
            self._publish(examples)
        return rows.astype(np.int32)

    def _publish(self, examples: Examples) -> None:
        columns = self._published = Columns(examples, self._folder)
        self._ledger = Ledger(-(-len(examples) // self._config.batch_size), self._first)
        held = Held(self._shards, self._vector, self._statistics, self._ledger)
        given = self._learner, self._forward, held, columns, self._config
        self._units = {
            watch: Traced(Unit(*given, watch=watch), prefetch=self._topology.prefetch)
            for watch in (False, True)
        }

    def steps(self, work: Iterator[Work]) -> Iterator[tuple[Work, StepResult]]:
        """Keep every worker busy; yield what is done in the order of `work`."""
        under_way: deque[tuple[list[Work], Any]] = deque()
        steps: dict[int, int] = {}
        seconds = self._topology.unit_seconds
        with Pulse(seconds, _SILENT.format(seconds)) as pulse:
            while unit := list(islice(work, self._topology.batches_per_unit)):
                steps |= {one.position: one.step for one in unit}
                under_way.append((unit, self._handed_out(unit)))
                pulse.beat()
                if len(under_way) >= self._out:
                    yield from self._done(*under_way.popleft())
            while under_way:
                yield from self._done(*under_way.popleft())
                pulse.beat()
        self._repeated += [steps[position] for position in self._ledger.repeated()]

    def _handed_out(self, unit: list[Work]) -> Any:
        rows = tf.constant(np.concatenate([one.batch for one in unit]))
        sizes = tf.constant([len(one.batch) for one in unit], tf.int32)
        numbers = tf.constant([one.position for one in unit], tf.int32)
        paces = tf.constant([one.rates for one in unit], tf.float32)
        function = self._units[any(one.watch for one in unit)].function(len(unit))
        return self._coordinator.schedule(function, args=(rows, sizes, numbers, paces))

    def _done(self, unit: list[Work], remote: Any) -> Iterator[tuple[Work, StepResult]]:
        found = self._figures(unit, remote)
        names = self._units[any(one.watch for one in unit)].watched
        tasks = len(self.model.tasks)
        for one, numbers in zip(unit, found, strict=True):
            losses, rest = numbers[2 : 2 + tasks], numbers[2 + tasks :]
            watched = dict(zip(names, map(float, rest), strict=True)) if one.watch else {}
            yield one, StepResult(float(numbers[0]), losses, float(numbers[1]), watched)

    def _figures(self, unit: list[Work], remote: Any) -> Array:
        """Return what `unit` came to; where its worker died with that unread, it is done again."""
        while True:
            try:
                return np.asarray(remote.fetch())
            except tf.errors.UnavailableError as error:
                if type(error) is not tf.errors.UnavailableError:  # a server's is of its own type
                    raise
                remote = self._handed_out(unit)

    def forget(self, step: int) -> int:
        """Forget rows as `eviction` declares, on every server."""
        return self._shards.forget(step)

    def repeated(self) -> tuple[int, ...]:
        """Return the steps that were done more than once since this was asked last."""
        found, self._repeated = self._repeated, []
        return tuple(found)

    def predict(self, examples: Examples) -> Array:
        """Return the probabilities, scored here with the weights of the last `unpack`."""
        return predict_arrays(self._score, examples.inputs, len(examples))

    def unpack(self) -> None:
        """Fetch every weight from the servers."""
        for name, table in self._shards.tables().items():
            self.packs[name].variable.assign(table)
            self.packs[name].empty()
        for variable, value in zip(self._forward.dense, self._vector.values(), strict=True):
            variable.assign(value)
        kept = zip(self._forward.statistics, self._statistics.values(), strict=True)
        for variable, value in kept:
            variable.assign(value)

    def state(self) -> dict[str, Array]:
        """Return every value that a resume needs, by the names of every other topology."""
        self.unpack()
        own = self.model.weights() | self.model.random_states()
        learnt = {
            f"objective/{i}": v.numpy() for i, v in enumerate(self._learner.objective.variables)
        }
        optimizer = {f"dense_optimizer/{i}": a for i, a in enumerate(self._vector.state())}
        named = {name: variable.numpy() for name, variable in own.items()}
        return named | self._shards.state() | learnt | optimizer

    def restore(self, state: Mapping[str, Array]) -> None:
        """Go back to `state`, wherever it was saved.

        Raises:
            ArtifactError: The names are not those of this trainer.
        """
        own = self.model.weights() | self.model.random_states()
        learnt = {f"objective/{i}": v for i, v in enumerate(self._learner.objective.variables)}
        sparse = self._shards.names()
        count = self._vector.count()
        optimizer = [f"dense_optimizer/{i}" for i in range(count)]
        known = {*own, *learnt, *sparse, *optimizer}
        if different := sorted(known ^ state.keys()):
            raise ArtifactError(f"The checkpoint does not fit the model: {', '.join(different)}.")
        for name, variable in (own | learnt).items():
            variable.assign(np.asarray(state[name]))
        for pack in self.packs.values():
            pack.fill()
        self._shards.assign({name: pack.variable.numpy() for name, pack in self.packs.items()})
        self._shards.restore(state)
        self._vector.assign([v.numpy() for v in self._forward.dense])
        self._vector.restore([state[name] for name in optimizer])
        self._statistics.assign([v.numpy() for v in self._forward.statistics])


def _check(config: TrainingConfig) -> None:
    """Refuse what servers cannot do."""
    if config.precision.kind == "float16":
        raise ConfigError(
            "training.precision float16 needs its loss scaled by what all steps before it found, "
            "which asynchronous workers do not know: declare bfloat16 or float32."
        )
    if config.placement is not None:
        raise ConfigError(
            "training.placement is about devices of the process that trains: leave it out under "
            "topology parameter_server, whose tables lie on servers."
        )


def asynchronous(
    cluster: Connected, topology: ParameterServerConfig, folder: Path
) -> Callable[[TrainingConfig, FeatureSpec, int], ParameterServerTrainer]:
    """Return what makes the trainer of a phase from declaration, schema and seed.

    Args:
        cluster: Workers and servers.
        topology: How rows and gradients travel between them, and how much a unit of work is.
        folder: A folder that all workers see.
    """

    def made(config: TrainingConfig, spec: FeatureSpec, seed: int) -> ParameterServerTrainer:
        return ParameterServerTrainer(
            trainee(config, spec, seed), config, cluster, topology, folder
        )

    return made
