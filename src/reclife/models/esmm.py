r"""ESMM: tasks that follow one another, such as click and purchase, learnt on all examples.

.. math:: \hat y_1 = p_1 \qquad \hat y_t = \hat y_{t-1}\, p_t \qquad
          p_t = \sigma(a_t) \qquad a_t = \mathrm{MLP}_t([v_1; \ldots; v_F; x])

in the order of the tasks: with click and purchase, :math:`p_1` is the click-through rate, `p_2` the
conversion rate after a click, and :math:`\hat y_2` the rate of both. The losses are those of
:math:`\hat y`, over all examples shown, so that the conversion rate is never fitted on clicked ones
alone. `v` are the rows of the categorical features (the mean for a list), shared by the towers, and
`x` the numbers after batch normalisation. A table is `[V, D]`, the logits `[B, T]`: that of a
product is, without ever leaving logits,

.. math:: \mathrm{logit}\big(\sigma(a)\,\sigma(b)\big) = a + b - \log(1 + e^a + e^b).

Reference: Ma et al., "Entire Space Multi-Task Model: An Effective Approach for Estimating
Post-Click Conversion Rate", SIGIR 2018.
"""

from collections.abc import Mapping
from typing import Any, final

import tensorflow as tf

from reclife.config.multi_task import ESMMConfig
from reclife.contracts import FeatureSpec
from reclife.errors import ConfigError
from reclife.models.features import embedding_tables, same_length, used_features
from reclife.models.fields import flat, flat_width, number_layers
from reclife.models.ranking import RankingModel, penalties
from reclife.models.tasks import tower_layers, towers

Tensor = Any


@final
class ESMM(RankingModel):
    """See the module for the equations."""

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        start = flat(self, rows, inputs, training)
        single = towers(self, {task.name: start for task in self.tasks}, training)
        logits = [single[:, 0]]
        for task in range(1, len(self.tasks)):
            logits.append(both(logits[-1], single[:, task]))
        return tf.stack(logits, axis=1)


def both(a: Tensor, b: Tensor) -> Tensor:
    """Return the logit of the product of two probabilities, from their logits of equal shape."""
    return a + b - tf.reduce_logsumexp(tf.stack([tf.zeros_like(a), a, b]), axis=0)


def build(config: ESMMConfig, spec: FeatureSpec, seed: int) -> ESMM:
    """Return the model that `config` declares, over the features and tasks of `spec`.

    Raises:
        ConfigError: There is one task only.
    """
    if len(spec.tasks) == 1:
        raise ConfigError(
            f"Model esmm needs tasks that follow one another, and {spec.tasks[0].name!r} is the "
            "only one: declare another task of the interactions, the earlier one first."
        )
    features = used_features(spec, config.exclude_features)
    dim = config.embedding_dim
    return ESMM(
        features=features,
        tasks=spec.tasks,
        tables=embedding_tables(
            spec, same_length(features, dim), config.embedding_initializer, seed
        ),
        layers={
            **tower_layers(spec.tasks, flat_width(features, dim), config.tower, seed),
            **number_layers(features),
        },
        penalties=penalties(config),
    )
