r"""AutoInt: products of features found by self-attention between the fields.

.. math:: \hat y = \sigma\big(b + \langle w, [\tilde e_1; \ldots; \tilde e_M] \rangle\big)

with :math:`\tilde e` the fields after some layers of `layers.self_attention`, each of which doubles
the highest order. A field is the row of a category (the mean of the rows for a list), or a number,
after batch normalisation, times a row of its own. A table is `[V, D]`.

Reference: Song et al., "AutoInt: Automatic Feature Interaction Learning via Self-Attentive Neural
Networks", CIKM 2019, equation 9.
"""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.model import AutoIntConfig
from reclife.contracts import FeatureSpec
from reclife.models.features import (
    embedding_tables,
    same_length,
    used_features,
)
from reclife.models.fields import field_count, field_layers, fields
from reclife.models.layers.dense import Bias, linear
from reclife.models.layers.self_attention import FieldAttention
from reclife.models.ranking import RankingModel, penalties

Tensor = Any


@final
class AutoInt(RankingModel):
    """See the module for the equation."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        combined = fields(self, rows, inputs, training)  # [B, M, D]
        for name in (name for name in self.layers if name.startswith("attention_")):
            combined = self.layers[name](combined)  # [B, M, H * A]
        flat = tf.reshape(combined, [-1, combined.shape[1] * combined.shape[2]])
        return self.layers["bias"](self.layers["field_weights"](flat))


def build(config: AutoIntConfig, spec: FeatureSpec, seed: int) -> AutoInt:
    """Return the model that `config` declares, over the features of `spec`."""
    features = used_features(spec, config.exclude_features)
    dim = config.embedding_dim
    initial = config.embedding_initializer
    layers = {"bias": Bias("bias"), **field_layers(features, dim, initial, seed)}
    width = dim
    for depth in range(config.attention_layers):
        name = f"attention_{depth}"
        layers[name] = FieldAttention(width, config.heads, config.head_units, seed, name)
        width = config.heads * config.head_units
    layers["field_weights"] = linear(field_count(features) * width, 1, seed, "field_weights")
    dims = same_length(features, dim)
    return AutoInt(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(spec, dims, initial, seed),
        layers=layers,
        penalties=penalties(config),
    )
