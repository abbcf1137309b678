r"""BST: a transformer over the history with the scored item as its last position.

.. math:: \hat y = \sigma\big(\mathrm{MLP}([z_1; \ldots; z_{L+1}; v_1; \ldots; v_F; x])\big)
          \qquad z = \mathrm{Block}(\ldots \mathrm{Block}([e_1, \ldots, e_L, t] + P))

with :math:`e` the rows of the history, oldest first, `t` the row of the item, `P` a row for each
position (the paper's are of time distances) and Block from `layers.transformer`; padding is
neither looked at nor passed on. One such sequence for each that shares its table with a category
of the item; `v` are the rows of the other features (the mean for a list) and the item's, `x` the
numeric features after batch normalisation. A table is `[V, D]`.

Reference: Chen et al., "Behavior Sequence Transformer for E-commerce Recommendation in Alibaba",
DLP-KDD 2019.
"""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.model import BSTConfig
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
from reclife.models.layers.pooling import mask
from reclife.models.layers.scopes import part_scope
from reclife.models.layers.sequence_encoder import SequenceEncoder
from reclife.models.ranking import RankingModel, penalties

Layer = Any
Tensor = Any


@final
class BST(RankingModel):
    """See the module for the equations."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        found = targets(self.features)
        vectors = [
            self._encoded(f, found[f.name], rows, inputs, training)
            if f.name in found
            else pooled_feature(f, rows, inputs)
            for f in self.embedded
        ]
        flat = tf.concat([*vectors, *normalized(self, inputs, training)], axis=1)
        return self.layers["perceptron"](flat, training=training)

    def _encoded(
        self,
        feature: Feature,
        target: str,
        rows: Mapping[str, Tensor],
        inputs: Mapping[str, Tensor],
        training: bool,
    ) -> Tensor:
        """Return the positions side by side, `[B, (L + 1) D]`; only the newest L are read."""
        length = feature.shape[0]
        newest = slice(-length, None)
        with part_scope("append", f"{feature.name}_and_{target}"):
            ids = [inputs[feature.name][:, newest], inputs[target][:, tf.newaxis]]
            present = mask(tf.concat(ids, axis=1))  # [B, L + 1]
            vectors = [rows[feature.name][:, newest], rows[target][:, tf.newaxis]]
            sequence = tf.concat(vectors, axis=1)  # [B, L + 1, D]
        encoder = self.layers[f"encoder_{feature.name}"]
        encoded = encoder(sequence, present, training=training)
        return tf.reshape(encoded, [-1, (length + 1) * encoded.shape[2]])


def build(config: BSTConfig, spec: FeatureSpec, seed: int) -> BST:
    """Return the model that `config` declares, over the features of `spec`.

    Raises:
        ConfigError: No sequence shares its table with a category of the item.
    """
    features = used_features(spec, config.exclude_features)
    sequences = [f for f in features if f.name in required_targets(config.kind, features)]
    dim = config.embedding_dim
    inputs = flat_width(features, dim) + dim * sum(f.shape[0] for f in sequences)
    tower = perceptron(inputs, config, seed, "perceptron")
    layers: dict[str, Layer] = {"perceptron": tower, **number_layers(features)}
    for sequence in sequences:
        name, length = f"encoder_{sequence.name}", sequence.shape[0] + 1
        layers[name] = SequenceEncoder(
            length, dim, config.heads, config.blocks, config.dropout, seed, name
        )
    dims = same_length(features, dim)
    return BST(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(spec, dims, config.embedding_initializer, seed),
        layers=layers,
        penalties=penalties(config),
    )
