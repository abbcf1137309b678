r"""BERT4Rec: masked places are filled in from both sides.

.. math:: x_t = \sqrt D\, v_{h_t} + P_t \qquad q_t = \mathrm{LN}(\mathrm{Block}(\ldots x)_t)
          \qquad s_{ti} = \langle q_t, v_i \rangle + b_i

as SASRec, with three differences: every place sees all others, a share of the places shows a mask
instead of its item and only these are predicted, and a query is a mask put after the history.

Reference: Sun et al., "BERT4Rec: Sequential Recommendation with Bidirectional Encoder
Representations from Transformer", CIKM 2019.
"""

from typing import Any, final

import tensorflow as tf

from reclife.config.neural import BERT4RecConfig
from reclife.models.layers.encoder_block import HIDDEN
from reclife.models.retrieval.model import Variable, table
from reclife.models.retrieval.sequence import SequenceModel, earlier, present
from reclife.models.retrieval.transformer import Transformer

Tensor = Any


@final
class BERT4Rec(SequenceModel):
    """See the module for the equations."""

    def __init__(self, items: int, config: BERT4RecConfig, seed: int) -> None:
        dim = config.embedding_dim
        super().__init__(table(items + 1, dim, 0.02, seed, "items"), config.similarity)
        self.mask = table(1, dim, 0.02, seed, "mask")
        self.mask_id = items + 1
        self.max_length = config.max_length
        self.transformer = Transformer(config, seed)

    def states(self, history: Tensor, training: bool) -> Tensor:
        """Return the encoded places; id `I + 1` is the mask."""
        rows = tf.gather(tf.concat([self.table, self.mask], axis=0), history)
        hidden = (1.0 - present(history)[:, tf.newaxis]) * HIDDEN
        return self.transformer(rows, earlier(history), hidden, training=training)

    def newest(self, history: Tensor) -> Tensor:
        """Return what stands at the mask after the history."""
        masks = tf.fill([tf.shape(history)[0], 1], tf.cast(self.mask_id, history.dtype))
        followed = tf.concat([history, masks], axis=1)[:, -self.max_length :]
        return self.states(followed, training=False)[:, -1]

    def layers(self) -> dict[str, Any]:
        """Return the transformer."""
        return {"transformer": self.transformer}

    def tables(self) -> dict[str, Variable]:
        """Return the trained tables by name, in a fixed order."""
        return {"items": self.table, "mask": self.mask}


def build(config: BERT4RecConfig, items: int, seed: int) -> BERT4Rec:
    """Return the model over `items` items."""
    return BERT4Rec(items, config, seed)
