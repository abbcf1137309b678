"""What a training will ask of its devices: memory, arithmetic, what travels, what limits it.

Numbers are estimates from shapes and the first batch: matrices count once an example, so that
layers over sequences need more; speeds are those measured on this machine.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from reclife.config.placement import PlacementConfig
from reclife.config.topology import (
    MirroredConfig,
    MultiWorkerConfig,
    ParameterServerConfig,
)
from reclife.config.training import TrainingConfig
from reclife.models.ranking import RankingModel
from reclife.training import sparse
from reclife.training.examples import Examples
from reclife.training.parts import layer_parts, table_parts
from reclife.training.placement import places

Array = NDArray[Any]

_LOG = logging.getLogger(__name__)
_FLOAT, _ID = 4, 8
_LINK = 1.25
"""Gigabytes a second between machines: ten gigabits."""
_DENSE_SLOTS = {"adam": 2, "adamw": 2, "adagrad": 1, "sgd": 1}
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
_WIRE = {"none": 4.0, "bf16": 2.0, "int8": 1.0, "int4": 0.5}


@final
@dataclass(frozen=True)
class Load:
    """What one device has: bytes of weights and of optimiser state, and operations a step."""

    weights: float
    optimizer: float
    operations: float


@final
@dataclass(frozen=True)
class Plan:
    """Loads by device, bytes a step between devices, and seconds a step that each limit allows."""

    loads: Mapping[str, Load]
    wire: float
    seconds: Mapping[str, float]

    @property
    def bottleneck(self) -> str:
        """What takes longest."""
        return max(self.seconds, key=lambda limit: self.seconds[limit])

    def __str__(self) -> str:
        """Return it for people."""
        lines = [
            f"  {name}: weights {_size(load.weights)}, optimisers {_size(load.optimizer)}, "
            f"{load.operations / 1e6:,.1f} million operations a step"
            for name, load in self.loads.items()
        ]
        limits = ", ".join(f"{name} {s * 1e3:.2f} ms" for name, s in self.seconds.items())
        return "\n".join(
            [
                "Plan of the training, estimated:",
                *lines,
                f"  between devices: {_size(self.wire)} a step",
                f"  expected bottleneck: {self.bottleneck} (least time a step: {limits})",
            ]
        )


def plan(config: TrainingConfig, model: RankingModel, examples: Examples) -> Plan:
    """Return the plan for the declared training of `model`, whose first batch is `examples`."""
    tables = {name: _table(config, model, name, examples) for name in model.tables}
    layers = {name: _layer(config, model, name, len(examples)) for name in model.layers}
    if config.placement is not None:
        loads, wire = _placed(config.placement, model, tables, layers)
    else:
        loads, wire = _spread(config, tables, layers)
    rows = sum(table.moved for table in tables.values())
    link = config.placement.link if config.placement else _LINK
    seconds = {
        "arithmetic": max(load.operations for load in loads.values()) / _operations_a_second(),
        "memory": rows / _bytes_a_second(),
        "wire": wire / (link * 1e9),
    }
    return Plan(loads, wire, seconds)


@final
@dataclass(frozen=True)
class _Part:
    """A table or layer: its load, the bytes a step that a table's rows move, what it exchanges."""

    load: Load
    moved: float
    exchanged: float


def _table(config: TrainingConfig, model: RankingModel, name: str, examples: Examples) -> _Part:
    rows, dim = model.tables[name].shape
    ids = [examples.inputs[f.name].reshape(-1) for f in model.embedded if f.table == name]
    distinct = len(np.unique(np.concatenate(ids))) if ids else 0
    slots = sparse.OPTIMIZERS[config.sparse_optimizer.kind](config.sparse_optimizer, {}).slots()
    numbers = sum(1 if slot.one_a_row else dim for slot in slots.values())
    places = sum(len(each) for each in ids)
    return _Part(
        Load(_FLOAT * rows * dim, _FLOAT * rows * numbers, 0.0),
        moved=_FLOAT * distinct * (3 * dim + 2 * numbers),  # read; read and written; slots
        exchanged=_FLOAT * 2.0 * places * dim if config.placement else float(distinct * dim),
    )


def _layer(config: TrainingConfig, model: RankingModel, name: str, batch: int) -> _Part:
    sizes = [v.shape for v in model.layers[name].trainable_variables]
    numbers = float(sum(np.prod(size) for size in sizes))
    matrices = [size for size in sizes if len(size) > 1]
    width = (matrices[0][0] + matrices[-1][-1]) if matrices else 0
    slots = _DENSE_SLOTS[config.dense_optimizer.kind]
    operations = 6.0 * batch * float(sum(np.prod(size) for size in matrices))
    return _Part(
        Load(_FLOAT * numbers, _FLOAT * numbers * slots, operations),
        moved=0.0,
        exchanged=_FLOAT * 2.0 * batch * width,
    )


def _placed(
    config: PlacementConfig,
    model: RankingModel,
    tables: Mapping[str, _Part],
    layers: Mapping[str, _Part],
) -> tuple[dict[str, Load], float]:
    """Return loads by device, and what parts beside device 0 exchange with it."""
    parts = {part: tables[name] for part, name in table_parts(model).items()}
    parts |= {part: layers[name] for part, name in layer_parts(model).items()}
    where = places(config, parts)
    loads = {
        f"device {device}": _sum([p.load for n, p in parts.items() if where[n] == device])
        for device in range(config.devices)
    }
    return loads, sum(part.exchanged for name, part in parts.items() if where[name])


def _spread(
    config: TrainingConfig, tables: Mapping[str, _Part], layers: Mapping[str, _Part]
) -> tuple[dict[str, Load], float]:
    """Return loads by kind of task, and what travels in a step of the whole batch."""
    rows, dense = _sum([t.load for t in tables.values()]), _sum([x.load for x in layers.values()])
    distinct = sum(table.exchanged for table in tables.values())  # numbers
    match config.topology:
        case ParameterServerConfig(workers=workers, servers=servers, wire=wire):
            held = _sum([rows, dense])
            push = 4.0 * 2 * wire.top_k if wire.push == "top_k" else _WIRE[wire.push]
            return {
                f"each of {servers} servers": Load(
                    held.weights / servers, held.optimizer / servers, 0.0
                ),
                f"each of {workers} workers": Load(dense.weights, 0.0, dense.operations),
            }, (_WIRE[wire.pull] + push) * distinct + 2 * dense.weights
        case MirroredConfig(devices=copies) | MultiWorkerConfig(workers=copies):
            whole = _sum([rows, dense])
            load = Load(whole.weights, whole.optimizer, whole.operations / copies)
            ring = 2 * (copies - 1) / copies * dense.weights
            return {f"each of {copies} copies": load}, copies * ring + (copies - 1) * (
                _FLOAT * distinct
            )
        case _:
            return {"device 0": _sum([rows, dense])}, 0.0


def _sum(loads: list[Load]) -> Load:
    return Load(
        sum(load.weights for load in loads),
        sum(load.optimizer for load in loads),
        sum(load.operations for load in loads),
    )


def _operations_a_second() -> float:
    matrix = np.ones((512, 512), np.float32)
    return 2.0 * 512**3 / _shortest(lambda: matrix @ matrix)


def _bytes_a_second() -> float:
    numbers = np.ones(1 << 23, np.float32)
    return 2.0 * numbers.nbytes / _shortest(numbers.copy)


def _shortest(work: Any) -> float:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def _size(count: float) -> str:
    scale, unit = next((s for s in _UNITS if count >= s[0]), _UNITS[-1])
    return f"{count / scale:,.1f} {unit}"
