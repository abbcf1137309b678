"""Parts of one model on different devices, side by side.

A layer computes where its weights lie; a table is read and updated where it lies. What one device
hands to another is copied by TensorFlow.
"""

import fnmatch
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, final

import tensorflow as tf

from reclife.config.placement import PlacementConfig
from reclife.errors import EnvironmentProblem
from reclife.models.ranking import RankingModel
from reclife.training.parts import layer_parts, matching, table_parts
from reclife.training.wrapped import Wrapped

Layer = Any
Tensor = Any
Variable = Any


@final
class OnDevice(Wrapped):
    """A layer that lies and computes on `device`."""

    def __init__(self, layer: Layer, device: str) -> None:
        super().__init__(layer)
        self.device = device

    def __call__(self, *inputs: Any, **options: Any) -> Tensor:
        """Return what the layer gives, computed on its device."""
        with tf.device(self.device):
            return self.layer(*inputs, **options)


def devices(count: int) -> tuple[str, ...]:
    """Return the names of `count` devices: GPUs where there are enough, else processor parts.

    Raises:
        EnvironmentProblem: TensorFlow runs already with fewer.
    """
    if len(tf.config.list_physical_devices("GPU")) >= count:
        return tuple(f"/GPU:{i}" for i in range(count))
    processor = tf.config.list_physical_devices("CPU")[0]
    with suppress(RuntimeError):  # devices are fixed once anything has run
        tf.config.set_logical_device_configuration(
            processor, [tf.config.LogicalDeviceConfiguration()] * count
        )
    if (found := len(tf.config.list_logical_devices("CPU"))) < count:
        raise EnvironmentProblem(
            f"placement asks for {count} devices, and TensorFlow already runs in this process with "
            f"{found}: train in a process of its own, `kedro run --pipelines training`."
        )
    return tuple(f"/CPU:{i}" for i in range(count))


def places(config: PlacementConfig, names: Iterable[str]) -> Mapping[str, int]:
    """Return the device of each part, 0 where no rule fits.

    Raises:
        ConfigError: A pattern fits no part.
    """
    names = list(names)
    matching([p for rule in config.placed for p in rule.parts], names, "placement")
    return {
        name: next(
            (r.device for r in config.placed if any(fnmatch.fnmatchcase(name, p) for p in r.parts)),
            0,
        )
        for name in names
    }


def place(model: RankingModel, config: PlacementConfig) -> dict[str, str]:
    """Move the parts of `model` to their devices; return the device of each table.

    Raises:
        ConfigError: A pattern fits no part.
        EnvironmentProblem: There are fewer devices.
    """
    named = devices(config.devices)
    layers, tables = layer_parts(model), table_parts(model)
    found = places(config, [*layers, *tables])
    for part, name in layers.items():
        device = named[found[part]]
        for variable in model.layers[name].variables:
            with tf.device(device):
                # the slots of its optimiser will lie beside it
                variable._initialize(_copy(variable.value))  # noqa: SLF001
        model.layers[name] = OnDevice(model.layers[name], device)
    for part, name in tables.items():
        with tf.device(named[found[part]]):
            model.tables[name] = _copy(model.tables[name])
    return {name: named[found[part]] for part, name in tables.items()}


def _copy(variable: Variable) -> Variable:
    return tf.Variable(variable.numpy(), trainable=variable.trainable, name=variable.name[:-2])
