"""A model as a user may write it: one score an item, scaled by an option."""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.model import Embedded
from reclife.contracts import FeatureSpec, Task
from reclife.models.features import embedding_tables, same_length, used_features
from reclife.models.fields import flat, flat_width, number_layers
from reclife.models.layers.dense import linear
from reclife.models.ranking import RankingModel, penalties


@final
class Options(Embedded):
    units: int = 4


@final
class Product(RankingModel):
    def score(self, rows: Mapping[str, Any], inputs: Mapping[str, Any], training: bool) -> Any:
        start = flat(self, rows, inputs, training)
        left, right = (self.layers[name](start) for name in ("left", "right"))
        return tf.reduce_sum(left * right, axis=1, keepdims=True)


@final
class Wide(RankingModel):
    def score(self, rows: Mapping[str, Any], inputs: Mapping[str, Any], training: bool) -> Any:
        return self.layers["left"](flat(self, rows, inputs, training))


def build(options: Options, spec: FeatureSpec, seed: int) -> RankingModel:
    features = used_features(spec, options.exclude_features)
    dim = options.embedding_dim
    layers = {
        name: linear(flat_width(features, dim), options.units, seed, name)
        for name in ("left", "right")
    }
    return Product(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(
            spec, same_length(features, dim), options.embedding_initializer, seed
        ),
        layers=layers | number_layers(features),
        penalties=penalties(options),
    )


def build_wide(options: Options, spec: FeatureSpec, seed: int) -> RankingModel:
    """Return a model that forgets to sum: as many numbers a row as there are units."""
    features = used_features(spec, options.exclude_features)
    layers = {"left": linear(flat_width(features, options.embedding_dim), 4, seed, "left")}
    return Wide(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(
            spec,
            same_length(features, options.embedding_dim),
            options.embedding_initializer,
            seed,
        ),
        layers=layers | number_layers(features),
        penalties=penalties(options),
    )


def build_strange(options: Options, spec: FeatureSpec, seed: int) -> RankingModel:
    """Return a model of a task that nobody declared."""
    model = build(options, spec, seed)
    model.tasks = (*model.tasks, Task(name="share", label="label_share"))
    return model


def build_alone() -> None:
    """Take no argument."""


def build_text(options: dict[str, object], spec: FeatureSpec, seed: int) -> str:
    return "no model"


NUMBER = 7
