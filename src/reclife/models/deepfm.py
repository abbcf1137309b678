r"""DeepFM: a factorization machine and a perceptron that share their embeddings.

.. math:: \hat y = \sigma\big(b + y_{first} + y_{FM} + y_{deep}\big)

* :math:`y_{first} = \sum_f w_f + \langle w, x \rangle`, one weight a value and a number,
* :math:`y_{FM} = \sum_{i<j} \langle v_i, v_j \rangle` over the fields (`layers.factorization`),
* :math:`y_{deep} = \mathrm{MLP}([v_1; \ldots; v_F; x])`,

with `x` the numeric features after batch normalisation. A list is one field: the mean of its rows.
A table is `[V, 1 + D]`: column 0 is :math:`w`, the rest :math:`v`.

References: Guo, Tang, Ye, Li, He, "DeepFM: A Factorization-Machine based Neural Network for CTR
Prediction", IJCAI 2017, equations 1 to 4; Rendle, "Factorization Machines", ICDM 2010. Tables of
their own length are projected as in Ginart et al., "Mixed Dimension Embeddings with Application to
Memory-Efficient Recommendation Systems", ISIT 2021.
"""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.model import DeepFMConfig
from reclife.contracts import Feature, FeatureSpec
from reclife.models.features import (
    embedded,
    embedding_tables,
    numeric,
    table_names,
    used_features,
    width,
)
from reclife.models.fields import pooled_feature
from reclife.models.layers.dense import Bias, linear, normalization, perceptron
from reclife.models.layers.factorization import pairwise
from reclife.models.ranking import RankingModel, penalties

Layer = Any
Tensor = Any


@final
class DeepFM(RankingModel):
    """See the module for the equation."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        terms, deep_inputs = [], []
        if self.embedded:
            pooled = {f: pooled_feature(f, rows, inputs) for f in self.embedded}
            vectors = tf.stack([self._vector(f, row) for f, row in pooled.items()], axis=1)
            terms += [row[:, :1] for row in pooled.values()]  # F x [B, 1]
            terms.append(pairwise(vectors))
            deep_inputs.append(tf.reshape(vectors, [-1, vectors.shape[1] * vectors.shape[2]]))
        if self.numeric:
            numbers = self.layers["normalization"](self.numbers(inputs), training=training)
            terms.append(self.layers["numeric_weights"](numbers))
            deep_inputs.append(numbers)
        deep = self.layers["perceptron"](tf.concat(deep_inputs, axis=1), training=training)
        return self.layers["bias"](tf.add_n([*terms, deep]))

    def _vector(self, feature: Feature, row: Tensor) -> Tensor:
        projection = self.layers.get(f"projection_{feature.table}")
        vector = row[:, 1:]  # [B, D_table]
        return vector if projection is None else projection(vector)


def build(config: DeepFMConfig, spec: FeatureSpec, seed: int) -> DeepFM:
    """Return the model that `config` declares, over the features of `spec`."""
    features = used_features(spec, config.exclude_features)
    dims = _dims(config, embedded(features))
    return DeepFM(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(
            spec, {name: 1 + dim for name, dim in dims.items()}, config.embedding_initializer, seed
        ),
        layers=_layers(config, features, dims, seed),
        penalties=penalties(config),
    )


def _dims(config: DeepFMConfig, features: tuple[Feature, ...]) -> dict[str, int]:
    own = config.embedding_dims
    return {name: own.get(name, config.embedding_dim) for name in table_names(features)}


def _layers(
    config: DeepFMConfig, features: tuple[Feature, ...], dims: dict[str, int], seed: int
) -> dict[str, Layer]:
    numbers = width(numeric(features))
    inputs = len(embedded(features)) * config.embedding_dim + numbers
    layers: dict[str, Layer] = {
        "bias": Bias("bias"),
        "perceptron": perceptron(inputs, config, seed, "perceptron"),
    }
    if numbers:
        layers["normalization"] = normalization(numbers, "normalization")
        layers["numeric_weights"] = linear(numbers, 1, seed, "numeric_weights")
    for table, dim in dims.items():
        if dim != config.embedding_dim:
            name = f"projection_{table}"
            layers[name] = linear(dim, config.embedding_dim, seed, name)
    return layers
