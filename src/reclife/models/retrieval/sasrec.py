r"""SASRec: every place of the history looks at itself and at what came before.

.. math:: x_t = \sqrt D\, v_{h_t} + P_t \qquad q_t = \mathrm{LN}(\mathrm{Block}(\ldots x)_t)
          \qquad s_{ti} = \langle q_t, v_i \rangle + b_i

with `v` the item table `[I, D]`, used on both sides, `P` a row for each place, counted from the
oldest, and Block from `layers.encoder_block`. The loss is declared: binary cross-entropy in the
paper, cross-entropy over all items in the second reference, the calibrated one (gSASRec) in the
third.

References: Kang and McAuley, "Self-Attentive Sequential Recommendation", ICDM 2018; Klenitskiy and
Vasilev, "Turning Dross Into Gold Loss: is BERT4Rec really better than SASRec?", RecSys 2023;
Petrov and Macdonald, "gSASRec: Reducing Overconfidence in Sequential Recommendation Trained with
Negative Sampling", RecSys 2023.
"""

from typing import Any, final

import tensorflow as tf

from reclife.config.neural import GSASRecConfig, SASRecConfig
from reclife.models.layers.encoder_block import HIDDEN
from reclife.models.retrieval.model import table
from reclife.models.retrieval.sequence import SequenceModel, earlier, present
from reclife.models.retrieval.transformer import Transformer

Tensor = Any
Config = SASRecConfig | GSASRecConfig


@final
class SASRec(SequenceModel):
    """See the module for the equations."""

    def __init__(self, items: int, config: Config, seed: int) -> None:
        dim = config.embedding_dim
        super().__init__(table(items + 1, dim, 0.02, seed, "items"), config.similarity)
        self.max_length = config.max_length
        self.transformer = Transformer(config, seed)

    def states(self, history: Tensor, training: bool) -> Tensor:
        """Return the encoded places; none sees what comes after it."""
        length = tf.shape(history)[1]
        past = tf.linalg.band_part(tf.ones([length, length]), -1, 0)
        seen = past * present(history)[:, tf.newaxis]  # [B, T, T]
        rows, hidden = tf.gather(self.table, history), (1.0 - seen) * HIDDEN
        return self.transformer(rows, earlier(history), hidden, training=training)

    def newest(self, history: Tensor) -> Tensor:
        """Return the last place."""
        return self.states(history, training=False)[:, -1]

    def layers(self) -> dict[str, Any]:
        """Return the transformer."""
        return {"transformer": self.transformer}


def build(config: Config, items: int, seed: int) -> SASRec:
    """Return the model over `items` items."""
    return SASRec(items, config, seed)
