r"""Shared bottom: the tasks share their embeddings and first layers.

.. math:: \hat y_t = \sigma\big(\mathrm{MLP}_t(h)\big) \qquad h = \mathrm{Hidden}(x_0)
          \qquad x_0 = [v_1; \ldots; v_F; x]

with `v` the rows of the categorical features (the mean for a list) and `x` the numbers after batch
normalisation. A table is `[V, D]`, `h` is `[B, K]`, the logits are `[B, T]`.

Reference: Caruana, "Multitask Learning", Machine Learning 28, 1997.
"""

from collections.abc import Mapping
from typing import Any, final

from reclife.config.multi_task import SharedBottomConfig
from reclife.contracts import FeatureSpec
from reclife.models.features import embedding_tables, same_length, used_features
from reclife.models.fields import flat, flat_width, number_layers
from reclife.models.layers.dense import hidden_layers
from reclife.models.ranking import RankingModel, penalties
from reclife.models.tasks import tower_layers, towers

Tensor = Any


@final
class SharedBottom(RankingModel):
    """See the module for the equations."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        start = flat(self, rows, inputs, training)
        shared = self.layers["bottom"](start, training=training)  # [B, K]
        return towers(self, {task.name: shared for task in self.tasks}, training)


def build(config: SharedBottomConfig, spec: FeatureSpec, seed: int) -> SharedBottom:
    """Return the model that `config` declares, over the features and tasks of `spec`."""
    features = used_features(spec, config.exclude_features)
    dim = config.embedding_dim
    return SharedBottom(
        features=features,
        tasks=spec.tasks,
        tables=embedding_tables(
            spec, same_length(features, dim), config.embedding_initializer, seed
        ),
        layers={
            "bottom": hidden_layers(flat_width(features, dim), config.bottom, seed, "bottom"),
            **tower_layers(spec.tasks, config.bottom.hidden_units[-1], config.tower, seed),
            **number_layers(features),
        },
        penalties=penalties(config),
    )
