"""What a ranking model is made of, part by part, those of the user's own included."""

import copy
from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from reclife.contracts import Feature, ModelSummary
from reclife.models.ranking import RankingModel
from reclife.models.traced import Model, Score, Source, parts, shape_of

Layer = Any


def summarise(model: RankingModel, kind: str) -> ModelSummary:
    """Return the parts of `model`, declared as `kind`; nothing is computed."""

    def score(layers: Mapping[str, Layer]) -> Score:
        copied = copy.copy(model)
        object.__setattr__(copied, "layers", layers)
        return copied

    inputs = {feature.name: _source(feature, model) for feature in model.features}
    output = ", ".join(task.name for task in model.tasks)
    return ModelSummary(
        model_kind=kind,
        parts=parts(Model(inputs, model.layers, score, output, {})),
        tables={name: tuple(table.shape) for name, table in model.tables.items()},
        numbers=model.parameter_count(),
    )


def _source(feature: Feature, model: RankingModel) -> Source:
    axes: list[Any] = ["B", *feature.shape]
    kind: str = feature.kind
    if feature.table is not None:
        axes.append(model.tables[feature.table].shape[1])
        kind = f"{kind}, table {feature.table}"
    return Source(tf.TensorSpec([*feature.shape], feature.dtype), kind, shape_of(axes))
