r"""DCN V2: a cross network of bounded degree, beside or below a perceptron.

.. math:: x_0 = [v_1; \ldots; v_F; x] \qquad c = \mathrm{Cross}(x_0)

* parallel: :math:`\hat y = \sigma\big(\langle w, c \rangle + \mathrm{MLP}(x_0)\big)`; one linear
  map of the two outputs side by side is the sum of two,
* stacked: :math:`\hat y = \sigma\big(\mathrm{MLP}(c)\big)`,

with `x` the numeric features after batch normalisation, a list one feature: the mean of its rows,
and Cross from `layers.cross`, its matrices of full or of low rank. A table is `[V, D]`.

Reference: Wang et al., "DCN V2: Improved Deep & Cross Network and Practical Lessons for Web-scale
Learning to Rank Systems", WWW 2021, section 3.
"""

from collections.abc import Mapping
from typing import Any, final

from reclife.config.model import DCNv2Config
from reclife.contracts import FeatureSpec
from reclife.models.features import (
    embedding_tables,
    same_length,
    used_features,
)
from reclife.models.fields import flat, flat_width, number_layers
from reclife.models.layers.cross import CrossNetwork
from reclife.models.layers.dense import linear, perceptron
from reclife.models.ranking import RankingModel, penalties

Tensor = Any


@final
class DCNv2(RankingModel):
    """See the module for the equations; parallel when there is a layer `cross_weights`."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        start = flat(self, rows, inputs, training)
        crossed = self.layers["cross"](start)
        if "cross_weights" not in self.layers:
            return self.layers["perceptron"](crossed, training=training)
        deep = self.layers["perceptron"](start, training=training)
        return self.layers["cross_weights"](crossed) + deep


def build(config: DCNv2Config, spec: FeatureSpec, seed: int) -> DCNv2:
    """Return the model that `config` declares, over the features of `spec`."""
    features = used_features(spec, config.exclude_features)
    inputs = flat_width(features, config.embedding_dim)
    layers = {
        "cross": CrossNetwork(inputs, config.cross_layers, config.cross_rank, seed, "cross"),
        "perceptron": perceptron(inputs, config, seed, "perceptron"),
        **number_layers(features),
    }
    if config.structure == "parallel":
        layers["cross_weights"] = linear(inputs, 1, seed, "cross_weights")
    dims = same_length(features, config.embedding_dim)
    return DCNv2(
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(spec, dims, config.embedding_initializer, seed),
        layers=layers,
        penalties=penalties(config),
    )
