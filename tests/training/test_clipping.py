"""Bounds on gradients, computed in numpy over sparse rows and dense weights together."""

import numpy as np
import pytest
import tensorflow as tf
from pydantic import TypeAdapter

from reclife.config.training import ClippingConfig
from reclife.training.clipping import Gradients, clip

ROWS = np.array([[3.0, 4.0], [0.0, 1.0], [-6.0, 8.0]], np.float32)
OWNERS = [0, 1, 1]
DENSE = [np.array([[2.0, -0.5]], np.float32), np.array([12.0], np.float32)]


def clipped(kind: str, limit: float) -> tuple[np.ndarray, list[np.ndarray]]:
    config: ClippingConfig = TypeAdapter(ClippingConfig).validate_python(
        {"kind": kind, "limit": limit}
    )
    gradients = Gradients(
        rows={"pack": tf.constant(ROWS)},
        owners={"pack": tf.constant(OWNERS)},
        tables={"pack": 2},
        dense=[tf.constant(gradient) for gradient in DENSE],
    )
    found = clip(gradients, config)
    return found.rows["pack"].numpy(), [gradient.numpy() for gradient in found.dense]


def shrunk(gradient: np.ndarray, norm: float, limit: float) -> np.ndarray:
    return gradient * min(1.0, limit / norm)


def test_by_value_every_number_is_bounded():
    rows, dense = clipped("value", 2.5)
    np.testing.assert_array_equal(rows, np.clip(ROWS, -2.5, 2.5))
    for found, gradient in zip(dense, DENSE, strict=True):
        np.testing.assert_array_equal(found, np.clip(gradient, -2.5, 2.5))


def test_by_norm_each_table_of_a_pack_and_each_weight_is_bounded_by_itself():
    rows, dense = clipped("norm", 5.5)
    tables = [np.linalg.norm(ROWS[:1]), np.linalg.norm(ROWS[1:])]
    expected = [shrunk(ROWS[i], tables[owner], 5.5) for i, owner in enumerate(OWNERS)]
    np.testing.assert_allclose(rows, expected, rtol=1e-6)
    np.testing.assert_array_equal(rows[0], ROWS[0])  # a norm of 5
    for found, gradient in zip(dense, DENSE, strict=True):
        np.testing.assert_allclose(found, shrunk(gradient, np.linalg.norm(gradient), 5.5))


@pytest.mark.parametrize("limit", [1.0, 10.0, 100.0])
def test_by_global_norm_all_of_it_keeps_its_direction(limit):
    rows, dense = clipped("global_norm", limit)
    norm = np.sqrt(sum(np.square(part).sum() for part in [ROWS, *DENSE]))
    np.testing.assert_allclose(rows, shrunk(ROWS, norm, limit), rtol=1e-6)
    for found, gradient in zip(dense, DENSE, strict=True):
        np.testing.assert_allclose(found, shrunk(gradient, norm, limit), rtol=1e-6)


def test_without_a_declaration_nothing_is_bounded():
    gradients = Gradients(rows={}, owners={}, tables={}, dense=[tf.constant([1e9])])
    assert clip(gradients, None) is gradients
