r"""xDeepFM: a linear model, a compressed interaction network and a perceptron, summed.

.. math:: \hat y = \sigma\big(b + \textstyle\sum_m w_m + \langle c, \mathrm{CIN}(v) \rangle
          + \mathrm{MLP}([v_1; \ldots; v_M])\big)

over the fields :math:`[w_m; v_m]`: the row of a category (the mean of the rows for a list), or a
number, after batch normalisation, times a row of its own. CIN is that of
`layers.compressed_interaction`.
A table is `[V, 1 + D]`.

Reference: Lian et al., "xDeepFM: Combining Explicit and Implicit Feature Interactions for
Recommender Systems", KDD 2018, equation 9.
"""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.model import XDeepFMConfig
from reclife.contracts import FeatureSpec
from reclife.models.features import (
    embedding_tables,
    same_length,
    used_features,
)
from reclife.models.fields import field_count, field_layers, fields
from reclife.models.layers.compressed_interaction import CompressedInteraction
from reclife.models.layers.dense import Bias, linear, perceptron
from reclife.models.ranking import RankingModel, penalties

Tensor = Any


@final
class XDeepFM(RankingModel):
    """See the module for the equation."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        whole = fields(self, rows, inputs, training)  # [B, M, 1 + D]
        vectors = whole[:, :, 1:]
        linear_part = tf.reduce_sum(whole[:, :, :1], axis=1)
        explicit = self.layers["map_weights"](self.layers["interaction"](vectors))
        flat = tf.reshape(vectors, [-1, vectors.shape[1] * vectors.shape[2]])
        implicit = self.layers["perceptron"](flat, training=training)
        return self.layers["bias"](linear_part + explicit + implicit)


def build(config: XDeepFMConfig, spec: FeatureSpec, seed: int) -> XDeepFM:
    """Return the model that `config` declares, over the features of `spec`."""
    features = used_features(spec, config.exclude_features)
    count, dim = field_count(features), config.embedding_dim
    maps = config.interaction_maps
    tower = perceptron(count * dim, config, seed, "perceptron")
    dims = same_length(features, 1 + dim)
    return XDeepFM(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(spec, dims, config.embedding_initializer, seed),
        layers={
            "bias": Bias("bias"),
            "interaction": CompressedInteraction(count, maps, seed, "interaction"),
            "map_weights": linear(sum(maps), 1, seed, "map_weights"),
            "perceptron": tower,
            **field_layers(features, 1 + dim, config.embedding_initializer, seed),
        },
        penalties=penalties(config),
    )
