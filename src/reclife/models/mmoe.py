r"""MMoE: experts that all tasks share, mixed by a gate of each task.

.. math:: \hat y_t = \sigma\big(\mathrm{MLP}_t(h_t)\big) \qquad
          h_t = \textstyle\sum_e \mathrm{softmax}(W_t x_0)_e\, f_e(x_0)
          \qquad x_0 = [v_1; \ldots; v_F; x]

with :math:`f_e` the hidden layers of expert `e`, `v` the rows of the categorical features (the mean
for a list) and `x` the numbers after batch normalisation. A table is `[V, D]`, :math:`h_t` is
`[B, K]`, the logits are `[B, T]`. Experts, gates and towers are layers of their own.

Reference: Ma et al., "Modeling Task Relationships in Multi-task Learning with Multi-gate
Mixture-of-Experts", KDD 2018, section 4.2.
"""

from collections.abc import Mapping
from typing import Any, final

from reclife.config.multi_task import MMoEConfig
from reclife.contracts import FeatureSpec
from reclife.models.features import embedding_tables, same_length, used_features
from reclife.models.fields import flat, flat_width, number_layers
from reclife.models.layers.dense import hidden_layers
from reclife.models.layers.mixture import Gate
from reclife.models.ranking import RankingModel, penalties
from reclife.models.tasks import tower_layers, towers

Layer = Any
Tensor = Any


@final
class MMoE(RankingModel):
    """See the module for the equations."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        start = flat(self, rows, inputs, training)
        names = [name for name in self.layers if name.startswith("expert_")]
        experts = [self.layers[name](start, training=training) for name in names]  # E x [B, K]
        mixed = {t.name: self.layers[f"gate_{t.name}"](start, experts) for t in self.tasks}
        return towers(self, mixed, training)


def build(config: MMoEConfig, spec: FeatureSpec, seed: int) -> MMoE:
    """Return the model that `config` declares, over the features and tasks of `spec`."""
    features = used_features(spec, config.exclude_features)
    dim, inputs = config.embedding_dim, flat_width(features, config.embedding_dim)
    layers: dict[str, Layer] = {
        **number_layers(features),
        **tower_layers(spec.tasks, config.expert.hidden_units[-1], config.tower, seed),
    }
    for name in (f"expert_{i}" for i in range(config.experts)):
        layers[name] = hidden_layers(inputs, config.expert, seed, name)
    for name in (f"gate_{task.name}" for task in spec.tasks):
        layers[name] = Gate(inputs, config.experts, seed, name)
    return MMoE(
        features=features,
        tasks=spec.tasks,
        tables=embedding_tables(
            spec, same_length(features, dim), config.embedding_initializer, seed
        ),
        layers=layers,
        penalties=penalties(config),
    )
