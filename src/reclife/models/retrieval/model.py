"""What every trained retriever has: a query vector, item vectors, and what stands between them."""

import abc
from collections.abc import Mapping
from typing import Any

import keras
import tensorflow as tf

from reclife.config.neural import CosineConfig, SimilarityConfig
from reclife.runtime.seeds import derive

Layer = Any
Tensor = Any
Variable = Any


class RetrievalModel(tf.Module, abc.ABC):
    r"""Scores an item by :math:`\langle q, v_i \rangle + b_i`, or by a cosine over a temperature.

    Args:
        items: Item table `[I + 1, D]`; row 0 stands for padding.
        similarity: What a score is.
    """

    def __init__(self, items: Variable, similarity: SimilarityConfig) -> None:
        super().__init__()
        self.table = items
        self.similarity = similarity
        self.bias = tf.Variable(tf.zeros(items.shape[0] - 1), name="bias")

    @abc.abstractmethod
    def encode(self, inputs: Mapping[str, Tensor], training: bool) -> Tensor:
        """Return raw query vectors `[N, D]`: one for each user, or for each place of a sequence."""

    def forward(self, inputs: Mapping[str, Tensor], training: bool) -> tuple[Tensor, Tensor]:
        """Return queries `[N, D]` and items `[I, D]` whose inner product is the score."""
        return self.compared(self.encode(inputs, training), self.table[1:])

    def compared(self, queries: Tensor, items: Tensor) -> tuple[Tensor, Tensor]:
        """Return both sides as the similarity wants them."""
        if isinstance(self.similarity, CosineConfig):
            return _unit(queries), _unit(items) / self.similarity.temperature
        return queries, items

    def item_bias(self) -> Tensor:
        """Return what every query gives an item `[I]`; zero for a cosine."""
        if isinstance(self.similarity, CosineConfig):
            return tf.zeros_like(self.bias)
        return self.bias

    def layers(self) -> Mapping[str, Layer]:
        """Return the Keras layers, by name."""
        return {}

    @property
    def variables_to_train(self) -> list[Variable]:
        """Everything that a step moves, in a fixed order."""
        layers = [layer for _, layer in sorted(self.layers().items())]
        dense = [v.value for layer in layers for v in layer.trainable_variables]
        return [*self.tables().values(), self.bias, *dense]

    def tables(self) -> dict[str, Variable]:
        """Return the trained tables by name, in a fixed order."""
        return {"items": self.table}


def table(rows: int, dim: int, deviation: float, seed: int, name: str) -> Variable:
    """Return a table `[rows, dim]` of normal numbers."""
    normal = keras.initializers.RandomNormal(stddev=deviation, seed=derive(seed, name))
    return tf.Variable(normal((rows, dim)), name=name)


def _unit(rows: Tensor) -> Tensor:
    return tf.math.l2_normalize(rows, axis=-1, epsilon=1e-12)
