"""How rows of numbers become bytes: exactly, or shorter and nearly."""

import abc
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, final

import tensorflow as tf

from reclife.training.parameter_server.checksum import SIZE, seal, unseal

Tensor = Any

_SCALE_BYTES = 2


class Codec(abc.ABC):
    """Turns rows `[N, D]` into bytes and back; every message ends with a checksum."""

    exact: bool = False
    """Whether decoding gives back what was encoded, so that no error has to be fed back."""

    def encode(self, rows: Tensor) -> Tensor:
        """Return `rows` `[N, D]`, float32, as a message of bytes."""
        return seal(tf.reshape(self.pack(rows), [-1]))

    def decode(self, message: Tensor, dim: int) -> Tensor:
        """Return the rows `[N, dim]` in `message`.

        The operation fails with InvalidArgumentError where the message was damaged.
        """
        return self.unpack(tf.reshape(unseal(message), [-1, self.row_bytes(dim)]), dim)

    def message_bytes(self, rows: int, dim: int) -> int:
        """Return the length of the message of `rows` rows of `dim` numbers."""
        return rows * self.row_bytes(dim) + SIZE

    @abc.abstractmethod
    def row_bytes(self, dim: int) -> int:
        """Return how many bytes a row of `dim` numbers takes."""

    @abc.abstractmethod
    def pack(self, rows: Tensor) -> Tensor:
        """Return `rows` `[N, D]` as bytes `[N, row_bytes(D)]`."""

    @abc.abstractmethod
    def unpack(self, data: Tensor, dim: int) -> Tensor:
        """Return the rows `[N, dim]` that `data` `[N, row_bytes(dim)]` holds."""


@final
class Float32(Codec):
    """The numbers as they are."""

    exact = True

    def row_bytes(self, dim: int) -> int:
        """Return four bytes a number."""
        return 4 * dim

    def pack(self, rows: Tensor) -> Tensor:
        """Return the bytes of the numbers."""
        return _bytes(rows)

    def unpack(self, data: Tensor, dim: int) -> Tensor:
        """Return the numbers."""
        return _numbers(data, dim, tf.float32)


@final
class BFloat16(Codec):
    """The first sixteen bits of each number, rounded: eight bits of precision."""

    def row_bytes(self, dim: int) -> int:
        """Return two bytes a number."""
        return 2 * dim

    def pack(self, rows: Tensor) -> Tensor:
        """Return the bytes of the rounded numbers."""
        return _bytes(tf.cast(rows, tf.bfloat16))

    def unpack(self, data: Tensor, dim: int) -> Tensor:
        """Return the rounded numbers."""
        return tf.cast(_numbers(data, dim, tf.bfloat16), tf.float32)


@final
class Int8(Codec):
    r"""A scale a row and a signed byte a number.

    .. math:: s = \mathrm{bf16}(\max_d |x_d|) / 127, \quad q_d = \mathrm{round}(x_d / s)

    so that a number is off by at most half a scale, and by one where rounding of the scale clips.
    """

    def row_bytes(self, dim: int) -> int:
        """Return a byte a number and the scale."""
        return dim + _SCALE_BYTES

    def pack(self, rows: Tensor) -> Tensor:
        """Return `[scale, numbers]` of each row."""
        scale, numbers = _quantised(rows, 127.0)
        return tf.concat([scale, tf.bitcast(tf.cast(numbers, tf.int8), tf.uint8)], axis=1)

    def unpack(self, data: Tensor, dim: int) -> Tensor:
        """Return the numbers times their scale."""
        numbers = tf.bitcast(data[:, _SCALE_BYTES:], tf.int8)
        return tf.ensure_shape(_scaled(data, tf.cast(numbers, tf.float32), 127.0), [None, dim])


@final
class Int4(Codec):
    r"""As `Int8`, with :math:`s = \mathrm{bf16}(\max_d |x_d|) / 7` and two numbers a byte."""

    def row_bytes(self, dim: int) -> int:
        """Return half a byte a number and the scale."""
        return (dim + 1) // 2 + _SCALE_BYTES

    def pack(self, rows: Tensor) -> Tensor:
        """Return `[scale, pairs of numbers]` of each row."""
        scale, numbers = _quantised(rows, 7.0)
        shifted = tf.cast(numbers + 8.0, tf.uint8)  # 1 .. 15
        even = tf.pad(shifted, [[0, 0], [0, rows.shape[1] % 2]])
        pairs = even[:, 0::2] * 16 + even[:, 1::2]
        return tf.concat([scale, pairs], axis=1)

    def unpack(self, data: Tensor, dim: int) -> Tensor:
        """Return the numbers times their scale."""
        pairs = data[:, _SCALE_BYTES:]
        halves = tf.stack([pairs // 16, pairs % 16], axis=2)  # [N, D / 2, 2]
        numbers = tf.reshape(halves, [-1, 2 * ((dim + 1) // 2)])[:, :dim]
        return _scaled(data, tf.cast(numbers, tf.float32) - 8.0, 7.0)


@final
class TopK(Codec):
    """The largest `share` of the numbers of each row, as bfloat16, and where they stood.

    Rows of more than 256 numbers cannot say where in one byte and are refused when built.

    Reference: Aji and Heafield, "Sparse Communication for Distributed Gradient Descent", EMNLP
    2017; here by row, so that a message has a known length.
    """

    def __init__(self, share: float) -> None:
        self._share = share

    def kept(self, dim: int) -> int:
        """Return how many of `dim` numbers travel."""
        return max(1, round(self._share * dim))

    def row_bytes(self, dim: int) -> int:
        """Return three bytes for each number that travels."""
        return 3 * self.kept(dim)

    def pack(self, rows: Tensor) -> Tensor:
        """Return `[numbers, places]` of each row."""
        _, places = tf.math.top_k(tf.abs(rows), self.kept(rows.shape[1]), sorted=False)
        numbers = tf.gather(rows, places, axis=1, batch_dims=1)
        return tf.concat([_bytes(tf.cast(numbers, tf.bfloat16)), tf.cast(places, tf.uint8)], axis=1)

    def unpack(self, data: Tensor, dim: int) -> Tensor:
        """Return the numbers where they stood, zeros elsewhere."""
        kept = self.kept(dim)
        numbers = tf.cast(_numbers(data[:, : 2 * kept], kept, tf.bfloat16), tf.float32)
        places = tf.cast(data[:, 2 * kept :], tf.int32)
        count = tf.shape(data)[0]
        flat = (tf.range(count)[:, tf.newaxis] * dim + places)[..., tf.newaxis]
        return tf.reshape(tf.scatter_nd(flat, numbers, [count * dim]), [-1, dim])


def _bytes(rows: Tensor) -> Tensor:
    """Return the memory of `rows` `[N, D]`, `[N, D * size]`."""
    dim = rows.shape[1] * rows.dtype.size
    return tf.reshape(tf.bitcast(rows, tf.uint8), [-1, dim])


def _numbers(data: Tensor, dim: int, dtype: Any) -> Tensor:
    return tf.bitcast(tf.reshape(data, [-1, dim, dtype.size]), dtype)


def _quantised(rows: Tensor, levels: float) -> tuple[Tensor, Tensor]:
    """Return the scale of each row as two bytes, `[N, 2]`, and its numbers in whole scales."""
    largest = tf.cast(tf.reduce_max(tf.abs(rows), axis=1, keepdims=True), tf.bfloat16)
    step = tf.cast(largest, tf.float32) / levels
    numbers = tf.math.divide_no_nan(rows, step)
    return _bytes(largest), tf.clip_by_value(tf.round(numbers), -levels, levels)


def _scaled(data: Tensor, numbers: Tensor, levels: float) -> Tensor:
    largest = tf.cast(_numbers(data[:, :_SCALE_BYTES], 1, tf.bfloat16), tf.float32)
    return numbers * (largest / levels)


CODECS: Mapping[str, Callable[[], Codec]] = MappingProxyType(
    {"none": Float32, "bf16": BFloat16, "int8": Int8, "int4": Int4}
)
