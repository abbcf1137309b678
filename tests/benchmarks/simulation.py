"""A cluster of parameter servers as queues, fed by the costs of a step that were measured on one.

Every worker asks the chief for a unit of work and then, for each batch of it, pulls from all
servers, computes and pushes to all servers. Chief and servers serve in order of arrival; a server
takes the longer of its processor time and the time of its network; workers differ by a log-normal
factor.
"""

import heapq
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

Phase = Literal["ask", "pull", "push"]

_JITTER = 0.2
_LATENCY_SECONDS = 2e-4
_STEPS_A_WORKER = 40


@final
@dataclass(frozen=True)
class Costs:
    """Of one step: seconds of a processor, and bytes; a row's are of a pull and a push together.

    The chief spends `chief_seconds` on a unit of work and `chief_step_seconds` on each step of it.
    """

    worker_seconds: float
    server_seconds: float
    server_row_seconds: float
    chief_seconds: float
    chief_step_seconds: float
    bytes_dense: float
    bytes_row: float

    @classmethod
    def fitted(cls, small: "Measured", large: "Measured", joined: "Measured") -> "Costs":
        """Return the costs that explain three measurements: something fixed, and more by row.

        Args:
            small: A small batch.
            large: A large batch.
            joined: The large batch, several of them in a unit of work.
        """
        rows = large.unique_rows - small.unique_rows
        by_row = (large.server_seconds - small.server_seconds) / rows
        bytes_row = (large.bytes - small.bytes) / rows
        saved = large.chief_seconds - joined.chief_seconds
        unit = min(large.chief_seconds, saved / (1 - 1 / joined.batches_per_unit))
        return cls(
            worker_seconds=large.worker_seconds,
            server_seconds=max(0.0, large.server_seconds - by_row * large.unique_rows),
            server_row_seconds=by_row,
            chief_seconds=unit,
            chief_step_seconds=large.chief_seconds - unit,
            bytes_dense=max(0.0, large.bytes - bytes_row * large.unique_rows),
            bytes_row=bytes_row,
        )


@final
@dataclass(frozen=True)
class Measured:
    """A step of one worker and one server: processor seconds by role, bytes, distinct rows."""

    worker_seconds: float
    server_seconds: float
    chief_seconds: float
    bytes: float
    unique_rows: float
    batches_per_unit: int = 1


@final
@dataclass(frozen=True)
class Machines:
    """How many there are, and what each has; a worker has the cores it was measured with.

    A worker asks the chief once for `batches_per_unit` steps.
    """

    workers: int
    servers: int
    batches_per_unit: int = 1
    server_cores: int = 16
    gigabits: float = 25.0


@final
@dataclass(frozen=True)
class Outcome:
    """Steps a second, the share of time that each part is busy, and what holds training up."""

    steps_per_second: float
    busy: dict[str, float]

    @property
    def limit(self) -> str:
        """The busiest part."""
        return max(self.busy, key=self.busy.__getitem__)


def simulate(costs: Costs, machines: Machines, unique_rows: float, seed: int = 7) -> Outcome:
    """Return what a cluster does in its steady state."""
    random = np.random.default_rng(seed)
    free, chief = np.zeros(machines.servers), 0.0
    processor = (
        (costs.server_seconds + costs.server_row_seconds * unique_rows)
        / machines.server_cores
        / machines.servers
    )
    network = (costs.bytes_dense + costs.bytes_row * unique_rows) / machines.servers
    network *= 8 / (machines.gigabits * 1e9)
    half = max(processor, network) / 2  # pull and push are alike
    events: list[tuple[float, int, Phase]] = [(0.0, w, "ask") for w in range(machines.workers)]
    left = [0] * machines.workers
    unit = costs.chief_seconds + costs.chief_step_seconds * machines.batches_per_unit
    wanted, ends = _STEPS_A_WORKER * machines.workers, list[float]()
    while len(ends) < wanted:
        now, worker, phase = heapq.heappop(events)
        if phase == "ask":
            chief = max(chief, now) + unit
            left[worker] = machines.batches_per_unit
            heapq.heappush(events, (chief + _LATENCY_SECONDS, worker, "pull"))
            continue
        free = np.maximum(free, now) + half
        done = float(free.max()) + _LATENCY_SECONDS
        if phase == "pull":
            factor = random.lognormal(-(_JITTER**2) / 2, _JITTER)
            heapq.heappush(events, (done + costs.worker_seconds * factor, worker, "push"))
        else:
            ends.append(done)
            left[worker] -= 1
            heapq.heappush(events, (done, worker, "pull" if left[worker] else "ask"))
    # The first half is the start: everybody asks at once.
    rate = (wanted - wanted // 2) / (ends[-1] - ends[wanted // 2 - 1])
    return Outcome(
        rate,
        {
            "chief": rate * unit / machines.batches_per_unit,
            "server processors": rate * processor,
            "server network": rate * network,
            "workers": rate * costs.worker_seconds / machines.workers,
        },
    )
