"""One direction of the traffic between workers and servers."""

from typing import Any, final

import tensorflow as tf

from reclife.config.topology import WireConfig
from reclife.training.parameter_server.codecs import CODECS, Codec, TopK

Tensor = Any

BLOCK = 64
"""Numbers that share a scale where rows are too short for one of their own."""

_SHORTEST_ROW = 8


@final
class Wire:
    """Sends rows `[N, D]` as messages of `codec`; short rows travel in blocks."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self.exact = codec.exact

    def send(self, rows: Tensor) -> Tensor:
        """Return the message for `rows` `[N, D]`."""
        if rows.shape[1] < _SHORTEST_ROW:
            flat = tf.reshape(rows, [-1])
            rows = tf.reshape(tf.pad(flat, [[0, -tf.size(flat) % BLOCK]]), [-1, BLOCK])
        return self._codec.encode(rows)

    def receive(self, message: Tensor, count: Tensor, dim: int) -> Tensor:
        """Return the `count` rows `[count, dim]` in `message`.

        The operation fails with InvalidArgumentError where the message was damaged.
        """
        if dim >= _SHORTEST_ROW:
            return self._codec.decode(message, dim)
        flat = tf.reshape(self._codec.decode(message, BLOCK), [-1])
        return tf.reshape(flat[: count * dim], [-1, dim])


@final
class Wires:
    """Both directions: what workers `pull` from servers and `push` to them."""

    def __init__(self, config: WireConfig) -> None:
        self.pull = Wire(CODECS[config.pull]())
        top_k = config.push == "top_k"
        self.push = Wire(TopK(config.top_k) if top_k else CODECS[config.push]())
