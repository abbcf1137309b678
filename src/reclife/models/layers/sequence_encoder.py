"""A sequence that knows where its rows stand and what surrounds them."""

from typing import Any, final

import keras
import tensorflow as tf

from reclife.models.layers.transformer import TransformerBlock
from reclife.runtime.seeds import derive

Tensor = Any

_INITIAL_DEVIATION = 0.05


@final
class SequenceEncoder(keras.layers.Layer):
    r"""Position rows, then transformer blocks: `[B, L, D]`, `[B, L] -> [B, L, D]`.

    .. math:: z = \mathrm{Block}(\ldots \mathrm{Block}(x + P))

    Absent positions are neither looked at nor passed on: their rows of the result are zero.

    Reference: Chen et al., "Behavior Sequence Transformer for E-commerce Recommendation in
    Alibaba", DLP-KDD 2019, section 2.2.
    """

    def __init__(
        self, length: int, dim: int, heads: int, blocks: int, dropout: float, seed: int, name: str
    ) -> None:
        super().__init__(name=name)
        normal = keras.initializers.RandomNormal(
            stddev=_INITIAL_DEVIATION, seed=derive(seed, name, "positions")
        )
        self.positions = self.add_weight(shape=(length, dim), initializer=normal, name="positions")
        self.blocks = [
            TransformerBlock(dim, heads, dropout, seed, f"{name}_{i}") for i in range(blocks)
        ]
        self.built = True

    def call(self, sequence: Tensor, present: Tensor, training: bool = False) -> Tensor:
        """Return the encoded `sequence`, of which `present` is 1 where there is a row."""
        kept = present[..., tf.newaxis]
        encoded = sequence * kept + self.positions
        for block in self.blocks:
            encoded = block(encoded, present, training=training)
        return encoded * kept
