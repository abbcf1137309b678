r"""Logistic regression over the same inputs as the other models.

.. math:: \hat y = \sigma\Big(b + \sum_f \bar w_f + \langle w, \mathrm{BN}(x) \rangle\Big)

with :math:`\bar w_f` the weight of the value of a categorical feature (the mean of the weights for
a list) and `x` the numeric features.
"""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.model import LogisticRegressionConfig
from reclife.config.towers import NormalRows
from reclife.contracts import FeatureSpec
from reclife.models.features import (
    embedding_tables,
    numeric,
    same_length,
    used_features,
    width,
)
from reclife.models.fields import pooled_feature
from reclife.models.layers.dense import Bias, linear, normalization
from reclife.models.ranking import RankingModel, penalties

Layer = Any
Tensor = Any


@final
class LogisticRegression(RankingModel):
    """One weight a value and a number; the tables are `[V, 1]` and start at zero."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        terms = [pooled_feature(f, rows, inputs) for f in self.embedded]  # F x [B, 1]
        if self.numeric:
            numbers = self.layers["normalization"](self.numbers(inputs), training=training)
            terms.append(self.layers["numeric_weights"](numbers))
        return self.layers["bias"](tf.add_n(terms))


def build(config: LogisticRegressionConfig, spec: FeatureSpec, seed: int) -> LogisticRegression:
    """Return the model that `config` declares, over the features of `spec`."""
    features = used_features(spec, config.exclude_features)
    dims = same_length(features, 1)
    layers: dict[str, Layer] = {"bias": Bias("bias")}
    if numbers := width(numeric(features)):
        layers["normalization"] = normalization(numbers, "normalization")
        layers["numeric_weights"] = linear(numbers, 1, seed, "numeric_weights")
    return LogisticRegression(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(spec, dims, NormalRows(deviation=0.0), seed),
        layers=layers,
        penalties=penalties(config),
    )
