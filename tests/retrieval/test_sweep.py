"""The inverse in place against numpy's in double precision."""

import numpy as np
import pytest

from reclife.retrieval.sweep import NotPositive, negative_inverse


@pytest.mark.parametrize("rows", [1, 7, 1024, 1025, 2100])
def test_it_is_the_negated_inverse_whatever_the_upper_triangle_holds(rows: int) -> None:
    half = np.random.default_rng(rows).normal(size=(rows + 3, rows)).astype(np.float32)
    positive = half.T @ half + 10 * np.eye(rows, dtype=np.float32)
    given = np.tril(positive) + np.triu(np.full_like(positive, np.nan), 1)
    negative_inverse(given)
    exact = np.linalg.inv(positive.astype(np.float64))
    found = np.tril(given)
    np.testing.assert_allclose(found, -np.tril(exact), atol=1e-5 * np.abs(exact).max())


def test_what_is_not_positive_definite_is_told() -> None:
    with pytest.raises(NotPositive):
        negative_inverse(np.ones((2, 2), np.float32))
