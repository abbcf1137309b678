r"""DIN: what a user's history says depends on the item that is scored.

.. math:: \hat y = \sigma\big(\mathrm{MLP}([u_1; \ldots; u_S; v_1; \ldots; v_F; x])\big)

with :math:`u` the history summed by its relevance to the item (`layers.target_attention`), one for
each sequence that shares its table with a category of the item; `v` the rows of the other
categorical features (the mean for a list) and `x` the numeric features after batch normalisation.
A table is `[V, D]`.

Reference: Zhou et al., "Deep Interest Network for Click-Through Rate Prediction", KDD 2018.
"""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.model import DINConfig
from reclife.contracts import Feature, FeatureSpec
from reclife.models.features import (
    embedding_tables,
    required_targets,
    same_length,
    targets,
    used_features,
)
from reclife.models.fields import flat_width, normalized, number_layers, pooled_feature
from reclife.models.layers.dense import perceptron
from reclife.models.layers.pooling import mask, mean_pool
from reclife.models.layers.target_attention import TargetAttention
from reclife.models.ranking import RankingModel, penalties

Layer = Any
Tensor = Any


@final
class DIN(RankingModel):
    """See the module for the equation."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        vectors = [
            self._vector(f, rows, inputs, training) for f in self.embedded
        ]  # (S + F) x [B, D]
        flat = tf.concat([*vectors, *normalized(self, inputs, training)], axis=1)
        return self.layers["perceptron"](flat, training=training)

    def _vector(
        self,
        feature: Feature,
        rows: Mapping[str, Tensor],
        inputs: Mapping[str, Tensor],
        training: bool,
    ) -> Tensor:
        target = targets(self.features).get(feature.name)
        if target is None:
            return pooled_feature(feature, rows, inputs)
        query = mean_pool(rows[target], inputs[target])
        attention = self.layers[f"attention_{feature.name}"]
        present = mask(inputs[feature.name])
        return attention(rows[feature.name], present, query, training=training)


def build(config: DINConfig, spec: FeatureSpec, seed: int) -> DIN:
    """Return the model that `config` declares, over the features of `spec`.

    Raises:
        ConfigError: No sequence shares its table with a category of the item.
    """
    features = used_features(spec, config.exclude_features)
    sequences = required_targets(config.kind, features)
    dim = config.embedding_dim
    inputs = flat_width(features, dim)
    layers: dict[str, Layer] = {
        "perceptron": perceptron(inputs, config, seed, "perceptron"),
        **number_layers(features),
    }
    for sequence in sequences:
        name = f"attention_{sequence}"
        layers[name] = TargetAttention(dim, config.attention_unit, seed, name)
    return DIN(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(
            spec, same_length(features, dim), config.embedding_initializer, seed
        ),
        layers=layers,
        penalties=penalties(config),
    )
