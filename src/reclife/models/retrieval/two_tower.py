r"""Two towers: the pooled history on one side, the item on the other.

.. math:: q = \frac{\sum_t \gamma^{T - t} u_{h_t}}{\sum_t \gamma^{T - t}} \qquad
          s_i = \langle q, v_i \rangle + b_i

with :math:`\gamma` the decay. In training a place is predicted from what came before it
(`next`) or from all the others (`others`), with the distance in place of the age.

Reference: Yi et al., "Sampling-Bias-Corrected Neural Modeling for Large Corpus Item
Recommendations", RecSys 2019; Covington, Adams and Sargin, "Deep Neural Networks for YouTube
Recommendations", RecSys 2016 (the pooled history).
"""

from typing import Any, final

import keras
import tensorflow as tf

from reclife.config.neural import TwoTowerConfig
from reclife.models.layers.scopes import part_scope
from reclife.models.retrieval.model import Variable, table
from reclife.models.retrieval.sequence import SequenceModel, present
from reclife.runtime.seeds import derive

Tensor = Any


@final
class TwoTower(SequenceModel):
    """See the module for the equations."""

    def __init__(self, items: int, config: TwoTowerConfig, seed: int) -> None:
        dim = config.embedding_dim
        super().__init__(table(items + 1, dim, 0.1, seed, "items"), config.similarity)
        self.history = table(items + 1, dim, 0.1, seed, "history")
        self.max_length = config.max_length
        self.decay = config.decay
        self.others = config.targets == "others"
        self.drop = keras.layers.Dropout(config.dropout, seed=derive(seed, "dropout"))

    def states(self, history: Tensor, training: bool) -> Tensor:
        """Return for each place what the other places, or those up to it, say of the target."""
        length = tf.shape(history)[1]
        place = tf.cast(tf.range(length), tf.float32)
        distance = place[:, tf.newaxis] - place
        past = tf.where(distance >= 0, self.decay ** tf.abs(distance), 0.0)
        around = tf.where(distance == 0, 0.0, self.decay ** (tf.abs(distance) - 1.0))
        weights = (around if self.others else past) * present(history)[:, tf.newaxis]
        return self._pooled(weights, history, training)

    def newest(self, history: Tensor) -> Tensor:
        """Return the pooled history."""
        age = tf.cast(tf.range(tf.shape(history)[1])[::-1], tf.float32)
        weights = self.decay**age * present(history)
        return self._pooled(weights[:, tf.newaxis], history, training=False)[:, 0]

    def _pooled(self, weights: Tensor, history: Tensor, training: bool) -> Tensor:
        rows = tf.gather(self.history, history)
        with part_scope("pool", "pooled_history"):
            kept = self.drop(weights, training=training)
            total = tf.reduce_sum(kept, axis=-1, keepdims=True)
            return tf.matmul(kept / tf.maximum(total, 1e-9), rows)

    def tables(self) -> dict[str, Variable]:
        """Return the trained tables by name, in a fixed order."""
        return {"history_items": self.history, "items": self.table}


def build(config: TwoTowerConfig, items: int, seed: int) -> TwoTower:
    """Return the model over `items` items."""
    return TwoTower(items, config, seed)
