r"""Wide & Deep: a linear model that memorises and a perceptron that generalises, trained jointly.

.. math:: \hat y = \sigma\big(b + \underbrace{\textstyle\sum_f w_f + \langle w, x \rangle}_{wide}
          + \underbrace{\mathrm{MLP}([v_1; \ldots; v_F; x])}_{deep}\big)

with `x` the numeric features after batch normalisation and a list one feature: the mean of its
rows. A table is `[V, 1 + D]`: column 0 is :math:`w`, the rest :math:`v`. The paper's cross-product
transformations are columns of the data here: a crossed column is declared like any category.

Reference: Cheng et al., "Wide & Deep Learning for Recommender Systems", DLRS 2016, equation 3.
"""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.model import WideAndDeepConfig
from reclife.contracts import FeatureSpec
from reclife.models.features import (
    embedding_tables,
    numeric,
    same_length,
    used_features,
    width,
)
from reclife.models.fields import flat_width, normalized, number_layers, pooled
from reclife.models.layers.dense import Bias, linear, perceptron
from reclife.models.ranking import RankingModel, penalties

Tensor = Any


@final
class WideAndDeep(RankingModel):
    """See the module for the equation."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        vectors = pooled(self.embedded, rows, inputs)  # F x [B, 1 + D]
        numbers = normalized(self, inputs, training)
        wide = [row[:, :1] for row in vectors]
        wide += [self.layers["numeric_weights"](x) for x in numbers]
        flat = tf.concat([*(row[:, 1:] for row in vectors), *numbers], axis=1)
        deep = self.layers["perceptron"](flat, training=training)
        return self.layers["bias"](tf.add_n([*wide, deep]))


def build(config: WideAndDeepConfig, spec: FeatureSpec, seed: int) -> WideAndDeep:
    """Return the model that `config` declares, over the features of `spec`."""
    features = used_features(spec, config.exclude_features)
    dims = same_length(features, 1 + config.embedding_dim)
    inputs = flat_width(features, config.embedding_dim)
    tower = perceptron(inputs, config, seed, "perceptron")
    layers = {"bias": Bias("bias"), "perceptron": tower, **number_layers(features)}
    if numbers := width(numeric(features)):
        layers["numeric_weights"] = linear(numbers, 1, seed, "numeric_weights")
    return WideAndDeep(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(spec, dims, config.embedding_initializer, seed),
        layers=layers,
        penalties=penalties(config),
    )
