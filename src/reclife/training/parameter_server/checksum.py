"""Fletcher's checksum over what travels, so that a damaged message is never trained on."""

from typing import Any

import tensorflow as tf

Tensor = Any

SIZE = 8
"""Bytes that `seal` adds."""

_WORD = 8


def seal(payload: Tensor) -> Tensor:
    """Return the bytes `payload` `[N]` with their checksum behind them, `[N + SIZE]`."""
    return tf.concat([payload, tf.bitcast(_sum(payload), tf.uint8)], axis=0)


def unseal(message: Tensor) -> Tensor:
    """Return the bytes that were sealed.

    The operation fails with InvalidArgumentError where they are not those.
    """
    payload, expected = message[:-SIZE], message[-SIZE:]
    check = tf.debugging.assert_equal(
        tf.bitcast(_sum(payload), tf.uint8), expected, "a message was damaged on its way"
    )
    with tf.control_dependencies([] if check is None else [check]):
        return tf.identity(payload)


def _sum(payload: Tensor) -> Tensor:
    r"""Return :math:`\sum_i w_i + K \sum_i i \, w_i` over 8-byte words, modulo :math:`2^{64}`.

    Reference: Fletcher, "An Arithmetic Checksum for Serial Transmissions", 1982.
    """
    padded = tf.pad(payload, [[0, -tf.size(payload) % _WORD]])
    words = tf.bitcast(tf.reshape(padded, [-1, _WORD]), tf.int64)
    places = tf.range(1, tf.size(words, out_type=tf.int64) + 1, dtype=tf.int64)
    return tf.reduce_sum(words) + tf.constant(1_000_003, tf.int64) * tf.reduce_sum(words * places)
