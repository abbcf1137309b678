r"""SIM: from a long history, the part that concerns the scored item, then attention to it.

.. math:: \hat y = \sigma\big(\mathrm{MLP}([u_{relevant}; u_{recent}; v_1; \ldots; v_F; x])\big)
          \qquad u = \mathrm{Attention}\big([e_j; c_j], [e; c]\big)

with :math:`e, c` the rows of an item and its category (`layers.target_attention`). Relevant are the
newest K positions of the scored item's category (the paper's hard search), recent the newest R of
any. `v` are the rows of the other features (the mean for a list), `x` the numbers after batch
normalisation. A table is `[V, D]`.

The search compares ids before anything is looked up: of a history of length L, whose rows would be
`[B, L, D]`, only `[B, K + R, D]` are read, attended to and updated. L itself costs one comparison
and one place in a top-K a position.

Reference: Pi et al., "Search-based User Interest Modeling with Lifelong Sequential Behavior Data
for Click-Through Rate Prediction", CIKM 2020, sections 3.2 (hard search) and 3.3.
"""

from collections.abc import Mapping
from typing import Any, Unpack, final

import tensorflow as tf

from reclife.config.model import SIMConfig
from reclife.contracts import FIRST_ID, Feature, FeatureSpec
from reclife.errors import ConfigError
from reclife.models.features import (
    embedding_tables,
    required_targets,
    same_length,
    used_features,
)
from reclife.models.fields import flat_width, normalized, number_layers, pooled
from reclife.models.layers.dense import perceptron
from reclife.models.layers.pooling import mask
from reclife.models.layers.scopes import part_scope
from reclife.models.layers.target_attention import TargetAttention
from reclife.models.ranking import Given, RankingModel, penalties

Tensor = Any


@final
class SIM(RankingModel):
    """See the module for the equations.

    Args:
        config: Names the two sequences and the parts that are kept of them.
        given: As of every model; the layers are `relevant`, `recent`, `perceptron` and those of the
            numbers.
    """

    def __init__(self, config: SIMConfig, **given: Unpack[Given]) -> None:
        super().__init__(**given)
        found = required_targets(config.kind, self.features)
        self.sequences = (config.history, config.search)
        self.sought = tuple(found[name] for name in self.sequences)
        self.relevant, self.recent = config.relevant, config.recent

    def select(self, inputs: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """Return the inputs with the newest relevant, then the newest of all positions, [B, K + R].

        Padding stands where fewer are relevant.
        """
        _, search = self.sequences
        wanted = inputs[self.sought[1]][:, tf.newaxis]
        with part_scope("search", f"found_in_{search}"):
            found = (inputs[search] == wanted) & (wanted >= FIRST_ID)  # [B, L]
            places = tf.range(1, tf.shape(found)[1] + 1)
            newest = tf.math.top_k(tf.where(found, places, 0), self.relevant).values  # [B, K]
            kept = {name: self._kept(inputs[name], newest) for name in self.sequences}
        return {**inputs, **kept}

    def _kept(self, ids: Tensor, newest: Tensor) -> Tensor:
        relevant = tf.gather(ids, tf.maximum(newest - 1, 0), batch_dims=1)
        relevant *= tf.cast(newest > 0, ids.dtype)
        return tf.concat([relevant, ids[:, -self.recent :]], axis=1)

    def score(
        self, rows: Mapping[str, Tensor], inputs: Mapping[str, Tensor], training: bool
    ) -> Tensor:
        """Return the logits `[B, T]`."""
        found = [rows[name] * mask(inputs[name])[..., tf.newaxis] for name in self.sequences]
        history = tf.concat(found, axis=2)  # [B, K + R, 2 D]
        present = mask(inputs[self.sequences[0]])
        target = tf.concat([rows[n] * mask(inputs[n])[:, tf.newaxis] for n in self.sought], axis=1)
        part = slice(None, self.relevant), slice(self.relevant, None)
        interests = [
            self.layers[name](history[:, at], present[:, at], target, training=training)
            for name, at in zip(("relevant", "recent"), part, strict=True)
        ]
        others = tuple(f for f in self.embedded if f.name not in self.sequences)
        vectors = [*interests, *pooled(others, rows, inputs), *normalized(self, inputs, training)]
        return self.layers["perceptron"](tf.concat(vectors, axis=1), training=training)


def build(config: SIMConfig, spec: FeatureSpec, seed: int) -> SIM:
    """Return the model that `config` declares, over the features of `spec`.

    Raises:
        ConfigError: A sequence is missing or of no category of the item, their lengths differ, or
            less of them is there than is to be kept.
    """
    features = used_features(spec, config.exclude_features)
    _check(config, features)
    dim = config.embedding_dim
    inputs = flat_width(features, dim) + 2 * dim  # two interests of 2 D for two sequences of D
    return SIM(
        config,
        features=features,
        tasks=spec.tasks[:1],
        tables=embedding_tables(
            spec, same_length(features, dim), config.embedding_initializer, seed
        ),
        layers={
            "relevant": TargetAttention(2 * dim, config.attention_unit, seed, "relevant"),
            "recent": TargetAttention(2 * dim, config.attention_unit, seed, "recent"),
            "perceptron": perceptron(inputs, config, seed, "perceptron"),
            **number_layers(features),
        },
        penalties=penalties(config),
    )


def _check(config: SIMConfig, features: tuple[Feature, ...]) -> None:
    found = required_targets(config.kind, features)
    for name in (config.history, config.search):
        if name not in found:
            raise ConfigError(
                f"Model sim: {name!r} is no sequence that shares its table with a category of the "
                f"item; such are {', '.join(found)}."
            )
    lengths = {f.name: f.shape[0] for f in features if f.name in (config.history, config.search)}
    if len(set(lengths.values())) > 1:
        raise ConfigError(f"Model sim needs sequences of one length; they are {lengths}.")
    if (kept := max(config.relevant, config.recent)) > lengths[config.history]:
        raise ConfigError(
            f"Model sim keeps {kept} positions of {config.history}, which has "
            f"{lengths[config.history]}: give `relevant` and `recent` smaller values."
        )
