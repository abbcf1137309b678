r"""A model declared as a graph of blocks.

.. math:: \hat y_t = \sigma\big(\mathrm{out}_t\big) \qquad
          b = f_b(b_1, b_2, \ldots) \quad \text{for a block } b \text{ that reads } b_1, b_2, \ldots

Blocks that read features come first: rows of categories `[B, F, D]`, sequences `[B, L, D]`,
numbers `[B, N]` after batch normalisation, and the sum of one weight a value `[B, 1]`. What the
others do is in `models.parts`, their shapes are in `config.blocks`. A table is `[V, D]`, or
`[V, 1 + D]` with that weight in column 0.
"""

from collections.abc import Mapping
from typing import Any, Unpack, final

import tensorflow as tf

from reclife.config.blocks.graph import BlocksConfig
from reclife.config.blocks.shapes import Available, Shape
from reclife.config.problems import hint, refuse
from reclife.contracts import Feature, FeatureSpec, Task
from reclife.models.features import (
    embedded,
    embedding_tables,
    numeric,
    same_length,
    used_features,
    width,
)
from reclife.models.fields import pooled
from reclife.models.layers.dense import normalization
from reclife.models.layers.pooling import mask
from reclife.models.layers.scopes import part_scope
from reclife.models.parts import Place, Value, layer_of, value_of
from reclife.models.ranking import Given, RankingModel, penalties

Layer = Any
Tensor = Any

_FIRST_ORDER = "first_order"


@final
class Blocks(RankingModel):
    """See the module.

    Args:
        config: The graph.
        given: As of every model; the layers are those of the blocks that have one, by the block's
            name.
    """

    def __init__(self, config: BlocksConfig, **given: Unpack[Given]) -> None:
        super().__init__(**given)
        self._graph = config
        self._order = config.order()
        self._weighs = _has_weights(config)

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        values: dict[str, Value] = {}
        for name in self._order:
            block = self._graph.blocks[name]
            with part_scope(block.kind, name):
                if block.reads:
                    given, layer = [values[read] for read in block.reads], self.layers.get(name)
                    values[name] = value_of(block, layer, given, training)
                else:
                    values[name] = self._source(name, rows, inputs, training)
        outputs = [values[self._graph.outputs[task.name]].tensor for task in self.tasks]
        return tf.concat(outputs, axis=1)

    def _source(
        self,
        name: str,
        rows: Mapping[str, Tensor],
        inputs: Mapping[str, Tensor],
        training: bool,
    ) -> Value:
        block = self._graph.blocks[name]
        features = _read(block, self.features)
        if block.kind == "numbers":
            columns = [tf.reshape(inputs[f.name], [-1, width((f,))]) for f in features]
            return Value(self.layers[name](tf.concat(columns, axis=1), training=training))
        if block.kind == "sequence":
            (feature,) = features
            newest = slice(-feature.shape[0], None)
            present = mask(inputs[feature.name][:, newest])
            return Value(rows[feature.name][:, newest, int(self._weighs) :], present)
        whole = tf.stack(pooled(features, rows, inputs), axis=1)  # [B, F, D] or [B, F, 1 + D]
        if block.kind == _FIRST_ORDER:
            return Value(tf.reduce_sum(whole[:, :, :1], axis=1))
        return Value(whole[:, :, int(self._weighs) :])


def build(config: BlocksConfig, spec: FeatureSpec, seed: int) -> Blocks:
    """Return the model that `config` declares, over the features of `spec` that it reads.

    Raises:
        ConfigError: A block cannot have a shape, or the outputs are not tasks of `spec`; all
            problems are listed.
    """
    tasks = _tasks(config, spec)
    whole = used_features(spec, config.exclude_features)
    shapes = config.shapes(available(whole, config.embedding_dim))
    sources = [block for block in config.blocks.values() if not block.reads]
    names = {f.name for block in sources for f in _read(block, whole)}
    names |= {str(f.weights) for f in whole if f.name in names}
    features = tuple(f for f in whole if f.name in names)
    dims = same_length(features, config.embedding_dim + int(_has_weights(config)))
    return Blocks(
        config,
        features=features,
        tasks=tasks,
        tables=embedding_tables(spec, dims, config.embedding_initializer, seed),
        layers=_layers(config, shapes, seed),
        penalties=penalties(config),
    )


def available(features: tuple[Feature, ...], dim: int) -> Available:
    """Return what a graph may read of `features`, with embedding vectors of length `dim`."""
    return Available(
        categories=tuple(f.name for f in embedded(features)),
        sequences={f.name: f.shape[0] for f in features if f.kind == "sequence"},
        numbers={f.name: width((f,)) for f in numeric(features)},
        dim=dim,
    )


def _tasks(config: BlocksConfig, spec: FeatureSpec) -> tuple[Task, ...]:
    known = [task.name for task in spec.tasks]
    problems = [
        f"training.model.outputs: {name!r} is no task{hint(name, known)}"
        for name in config.outputs
        if name not in known
    ]
    if known[0] not in config.outputs:
        problems.append(f"training.model.outputs: {known[0]!r}, the task that ranks, is missing")
    refuse(problems)
    return tuple(task for task in spec.tasks if task.name in config.outputs)


def _read(block: Any, features: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """Return the features that a source reads, in the order of `features`."""
    if block.kind == "sequence":
        return tuple(f for f in features if f.name == block.feature)
    readable = numeric(features) if block.kind == "numbers" else embedded(features)
    return tuple(f for f in readable if block.features is None or f.name in block.features)


def _has_weights(config: BlocksConfig) -> bool:
    return any(block.kind == _FIRST_ORDER for block in config.blocks.values())


def _layers(config: BlocksConfig, shapes: Mapping[str, Shape], seed: int) -> dict[str, Layer]:
    layers: dict[str, Layer] = {}
    for name, block in config.blocks.items():
        if block.kind == "numbers":
            layers[name] = normalization(shapes[name].axes[0], name)
        elif block.reads:
            given = [shapes[read] for read in block.reads]
            initial = config.embedding_initializer
            layer = layer_of(Place(block, name, given, config.embedding_dim, initial, seed))
            layers |= {} if layer is None else {name: layer}
    return layers
