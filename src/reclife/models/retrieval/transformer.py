"""Item rows with their place in the history, through transformer blocks."""

from typing import Any, final

import keras
import tensorflow as tf

from reclife.config.neural import TransformerConfig
from reclife.models.layers.dense import layer_norm
from reclife.models.layers.encoder_block import EncoderBlock
from reclife.runtime.seeds import derive

Tensor = Any


@final
class Transformer(keras.layers.Layer):
    """`[B, T, D]`, `[B, T]`, `[B, T, T] -> [B, T, D]`, for any T; items up to `max_length`."""

    def __init__(self, config: TransformerConfig, seed: int) -> None:
        super().__init__(name="transformer")
        dim = config.embedding_dim
        normal = keras.initializers.RandomNormal(stddev=0.02, seed=derive(seed, "positions"))
        self.positions = self.add_weight(
            shape=(config.max_length, dim), initializer=normal, name="positions"
        )
        self.scale = dim**0.5
        self.drop = keras.layers.Dropout(config.dropout, seed=derive(seed, "dropout"))
        self.blocks = [
            EncoderBlock(dim, config.heads, config.dropout, seed, f"block_{i}")
            for i in range(config.blocks)
        ]
        self.norm = layer_norm(dim, "norm")
        self.built = True

    def call(self, rows: Tensor, earlier: Tensor, mask: Tensor, training: bool = False) -> Tensor:
        """Return the encoded places, each after `earlier` others; `mask` as in `EncoderBlock`."""
        placed = rows * self.scale + tf.gather(self.positions, earlier)
        encoded = self.drop(placed, training=training)
        for block in self.blocks:
            encoded = block(encoded, mask, training=training)
        return self.norm(encoded)
