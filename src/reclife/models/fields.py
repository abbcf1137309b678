"""From embedding rows and numbers to what the layers of a model read."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import tensorflow as tf

from reclife.config.towers import InitialRows
from reclife.contracts import Feature
from reclife.models.features import embedded, numeric, width
from reclife.models.layers.dense import normalization
from reclife.models.layers.numbers import NumericRows
from reclife.models.layers.pooling import mean_pool
from reclife.models.layers.scopes import part_scope
from reclife.models.ranking import RankingModel

Layer = Any
Tensor = Any


def pooled(
    features: tuple[Feature, ...], rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor]
) -> list[Tensor]:
    """Return one row `[B, D]` for each categorical feature; that of a list is the mean."""
    return [pooled_feature(f, rows, inputs) for f in features]


def pooled_feature(
    feature: Feature, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor]
) -> Tensor:
    """Return one row `[B, D]` for a categorical feature; that of a list is its weighted mean."""
    weights = inputs.get(str(feature.weights))
    with part_scope("mean", f"mean_{feature.name}") if feature.shape else nullcontext():
        return mean_pool(rows[feature.name], inputs[feature.name], weights)


def normalized(model: RankingModel, inputs: Mapping[str, Tensor], training: bool) -> list[Tensor]:
    """Return the numbers after batch normalisation, `[B, N]`; nothing when there are none."""
    if not model.numeric:
        return []
    return [model.layers["normalization"](model.numbers(inputs), training=training)]


def flat(
    model: RankingModel, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
) -> Tensor:
    """Return the pooled rows and the normalised numbers side by side, `[B, flat_width]`."""
    vectors = pooled(model.embedded, rows, inputs)  # F x [B, D]
    return tf.concat([*vectors, *normalized(model, inputs, training)], axis=1)


def fields(
    model: RankingModel, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
) -> Tensor:
    """Return one vector a field, `[B, M, D]`: categorical features first, then every number.

    The vector of a number is the number times a row of its own, so that M counts numbers one by
    one. The model's layers include those of `field_layers`.
    """
    parts = []
    if model.embedded:
        parts.append(tf.stack(pooled(model.embedded, rows, inputs), axis=1))  # [B, F, D]
    parts += [model.layers["numeric_rows"](x) for x in normalized(model, inputs, training)]
    return tf.concat(parts, axis=1)


def field_layers(
    features: tuple[Feature, ...], dim: int, initial: InitialRows, seed: int
) -> dict[str, Layer]:
    """Return the layers that `fields` reads, for vectors of length `dim`."""
    layers = number_layers(features)
    if count := width(numeric(features)):
        layers["numeric_rows"] = NumericRows(count, dim, initial, seed, "numeric_rows")
    return layers


def number_layers(features: tuple[Feature, ...]) -> dict[str, Layer]:
    """Return the layers that `normalized` reads."""
    count = width(numeric(features))
    return {"normalization": normalization(count, "normalization")} if count else {}


def field_count(features: tuple[Feature, ...]) -> int:
    """Return M, the number of fields."""
    return len(embedded(features)) + width(numeric(features))


def flat_width(features: tuple[Feature, ...], dim: int) -> int:
    """Return how wide the pooled vectors of length `dim` and the numbers are side by side."""
    return len(embedded(features)) * dim + width(numeric(features))
