"""What the models of a history have in common."""

import abc
from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from reclife.models.retrieval.model import RetrievalModel

Tensor = Any


class SequenceModel(RetrievalModel):
    """Reads `history` `[B, T]`: ids from 1, oldest first, padded with 0 on the left.

    In training `places` `[N]` says which of the `B T` encoded places are queries. Ids count the
    items from 1; what a place may see is the member's own affair.
    """

    max_length: int

    @abc.abstractmethod
    def states(self, history: Tensor, training: bool) -> Tensor:
        """Return the encoded places `[B, T, D]`."""

    @abc.abstractmethod
    def newest(self, history: Tensor) -> Tensor:
        """Return the raw query vector of each history `[B, D]`."""

    def encode(self, inputs: Mapping[str, Tensor], training: bool) -> Tensor:
        """Return the encoded `places` `[N, D]`."""
        states = self.states(inputs["history"], training)
        return tf.gather(tf.reshape(states, [-1, self.table.shape[1]]), inputs["places"])

    def query(self, history: Tensor) -> Tensor:
        """Return what scores a history `[B, T]`, of any length T: `[B, D]`."""
        return self.compared(self.newest(history[:, -self.max_length :]), self.table[1:])[0]


def present(history: Tensor) -> Tensor:
    """Return 1 where there is an item, 0 at padding `[B, T]`."""
    return tf.cast(history > 0, tf.float32)


def earlier(history: Tensor) -> Tensor:
    """Return how many items came before each place `[B, T]`; 0 at padding.

    Counted so, a place is the same whatever follows it: what training knows of a place in the
    middle of a history holds when the history ends there.
    """
    return tf.cast(tf.cumsum(present(history), axis=1, exclusive=True), tf.int32)
