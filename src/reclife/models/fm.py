r"""A factorization machine of second order.

.. math:: \hat y = \sigma\Big(b + \sum_i w_i x_i + \sum_{i<j} \langle v_i, v_j \rangle x_i x_j\Big)

over the fields: a categorical feature has :math:`x = 1` and the row of its value (the mean of the
rows for a list), a number after batch normalisation is its own :math:`x`. A row is `[1 + D]`:
column 0 is :math:`w`, the rest :math:`v`.

Reference: Rendle, "Factorization Machines", ICDM 2010, equation 1.
"""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.model import FMConfig
from reclife.contracts import FeatureSpec
from reclife.models.features import (
    embedding_tables,
    same_length,
    used_features,
)
from reclife.models.fields import field_layers, fields
from reclife.models.layers.dense import Bias
from reclife.models.layers.factorization import pairwise
from reclife.models.ranking import RankingModel, penalties

Tensor = Any


@final
class FM(RankingModel):
    """See the module for the equation."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        vectors = fields(self, rows, inputs, training)  # [B, M, 1 + D]
        first = tf.reduce_sum(vectors[:, :, :1], axis=1)
        return self.layers["bias"](first + pairwise(vectors[:, :, 1:]))


def build(config: FMConfig, spec: FeatureSpec, seed: int) -> FM:
    """Return the model that `config` declares, over the features of `spec`."""
    features = used_features(spec, config.exclude_features)
    length, initial = 1 + config.embedding_dim, config.embedding_initializer
    dims = same_length(features, length)
    return FM(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(spec, dims, initial, seed),
        layers={"bias": Bias("bias"), **field_layers(features, length, initial, seed)},
        penalties=penalties(config),
    )
