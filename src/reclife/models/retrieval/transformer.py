"""Item rows with their distance from the newest place, through transformer blocks."""

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
    """`[B, T, D]`, `[B, T, T] -> [B, T, D]`; T may be anything up to `max_length`."""

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

    def call(self, rows: Tensor, mask: Tensor, training: bool = False) -> Tensor:
        """Return the encoded places; `mask` as in `EncoderBlock`."""
        places = self.positions[self.positions.shape[0] - tf.shape(rows)[1] :]
        encoded = self.drop(rows * self.scale + places, training=training)
        for block in self.blocks:
            encoded = block(encoded, mask, training=training)
        return self.norm(encoded)
