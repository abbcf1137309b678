"""Codecs against their formulas in numpy."""

import numpy as np
import pytest
import tensorflow as tf

from reclife.training.parameter_server.codecs import CODECS, Codec, Float32, TopK

ROWS = np.random.default_rng(0).normal(size=(50, 17)).astype("float32")
ROWS[3] = 0.0
ALL = {kind: made() for kind, made in CODECS.items()} | {"top_k": TopK(0.25)}


def through(codec: Codec, rows: np.ndarray = ROWS) -> np.ndarray:
    message = codec.encode(tf.constant(rows))
    assert message.dtype == tf.uint8
    assert len(message) == codec.message_bytes(*rows.shape)
    return codec.decode(message, rows.shape[1]).numpy()


def scales(levels: int) -> np.ndarray:
    largest = tf.cast(np.abs(ROWS).max(axis=1, keepdims=True), tf.bfloat16)
    return tf.cast(largest, tf.float32).numpy() / levels


def test_what_is_exact_comes_back_bit_for_bit():
    assert Float32().exact
    np.testing.assert_array_equal(through(Float32()), ROWS)


def test_bf16_is_the_nearest_of_eight_bits():
    np.testing.assert_array_equal(
        through(ALL["bf16"]), tf.cast(tf.cast(ROWS, tf.bfloat16), "float32")
    )


@pytest.mark.parametrize(("kind", "levels"), [("int8", 127), ("int4", 7)])
def test_whole_scales_of_the_row(kind, levels):
    step = scales(levels)
    whole = np.clip(
        np.round(np.divide(ROWS, step, out=np.zeros_like(ROWS), where=step > 0)), -levels, levels
    )
    np.testing.assert_allclose(through(ALL[kind]), whole * step, rtol=1e-6)
    # The scale is rounded to eight bits, so the largest number of a row may be clipped.
    clipped = np.abs(ROWS).max(axis=1, keepdims=True) * 2.0**-8
    assert (np.abs(through(ALL[kind]) - ROWS) <= step / 2 + clipped + 1e-7).all()


def test_top_k_keeps_the_largest_of_each_row():
    found = through(ALL["top_k"])
    order = np.argsort(-np.abs(ROWS), axis=1)[:, :4]
    expected = np.zeros_like(ROWS)
    kept = tf.cast(tf.cast(np.take_along_axis(ROWS, order, axis=1), tf.bfloat16), "float32").numpy()
    np.put_along_axis(expected, order, kept, axis=1)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", sorted(ALL))
@pytest.mark.parametrize("shape", [(0, 16), (1, 1), (3, 64), (5, 17)])
def test_any_number_of_rows_of_any_length(kind, shape):
    rows = np.full(shape, -2.0, "float32")
    found = through(ALL[kind], rows)
    assert found.shape == shape
    if kind != "top_k":
        np.testing.assert_array_equal(found, rows)  # one value: no codec loses any of it


@pytest.mark.parametrize("kind", sorted(ALL))
def test_one_flipped_bit_is_found(kind):
    codec = ALL[kind]
    message = codec.encode(tf.constant(ROWS)).numpy()
    for place in (0, len(message) // 2, len(message) - 1):
        damaged = message.copy()
        damaged[place] ^= 16
        with pytest.raises(tf.errors.InvalidArgumentError, match="damaged on its way"):
            codec.decode(tf.constant(damaged), ROWS.shape[1])


def test_swapped_words_are_found():
    message = Float32().encode(tf.constant(ROWS)).numpy()
    message[:16] = np.roll(message[:16], 8)
    with pytest.raises(tf.errors.InvalidArgumentError, match="damaged"):
        Float32().decode(tf.constant(message), ROWS.shape[1])


@pytest.mark.parametrize(
    ("kind", "share"), [("bf16", 0.5), ("int8", 0.3), ("int4", 0.2), ("top_k", 0.2)]
)
def test_bytes_of_a_row_of_sixteen(kind, share):
    assert ALL[kind].row_bytes(16) / Float32().row_bytes(16) <= share
