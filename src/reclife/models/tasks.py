"""The end of a model of several tasks: a perceptron each, that can be placed on its own device."""

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from reclife.config.towers import HiddenLayers
from reclife.contracts import Task
from reclife.models.layers.dense import perceptron
from reclife.models.ranking import RankingModel

Layer = Any
Tensor = Any


def tower_layers(
    tasks: tuple[Task, ...], inputs: int, hidden: HiddenLayers, seed: int
) -> dict[str, Layer]:
    """Return the layer `tower_<task>` of each task, `[B, inputs] -> [B, 1]`."""
    names = [f"tower_{task.name}" for task in tasks]
    return {name: perceptron(inputs, hidden, seed, name) for name in names}


def towers(model: RankingModel, asked: Mapping[str, Tensor], training: bool) -> Tensor:
    """Return the outputs `[B, T]` of the towers for the inputs of each task, by its name."""
    names = [task.name for task in model.tasks]
    return tf.concat(
        [model.layers[f"tower_{name}"](asked[name], training=training) for name in names], axis=1
    )
