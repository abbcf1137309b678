"""Which tasks a topology consists of, and what the end of one of them means."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from reclife.config.topology import (
    LauncherConfig,
    MirroredConfig,
    MultiWorkerConfig,
    ParameterServerConfig,
    ProcessesConfig,
    TopologyConfig,
)
from reclife.training.launchers.cluster import Role


@final
@dataclass(frozen=True)
class Roles:
    """The number of tasks of each role.

    Training is over when all tasks with an `awaited` role ended well. One with a role in `alone`
    may be started again by itself; when another one fails, all of them go on from the checkpoint.
    """

    counts: Mapping[Role, int]
    awaited: Role
    alone: frozenset[Role] = frozenset()


def roles(topology: TopologyConfig) -> Roles:
    """Return the roles in `topology`, which is not that of one process."""
    match topology:
        case MultiWorkerConfig(workers=workers):
            return Roles({"worker": workers}, "worker")
        case ParameterServerConfig(workers=workers, servers=servers):
            counts: dict[Role, int] = {"chief": 1, "worker": workers, "ps": servers}
            return Roles(counts, "chief", frozenset({"worker"}))
        case _:
            return Roles({"worker": 1}, "worker")


def launcher(topology: TopologyConfig) -> LauncherConfig:
    """Return what starts the tasks of `topology`."""
    if isinstance(topology, MirroredConfig | MultiWorkerConfig | ParameterServerConfig):
        return topology.launcher
    return ProcessesConfig()
