"""Top-K and blending."""

import numpy as np
import pytest

from reclife.retrieval.blend import blend
from reclife.retrieval.ranking import top_k


@pytest.mark.parametrize("k", [1, 3, 10, 40, 99])
def test_top_k_equals_a_stable_sort(k: int) -> None:
    rng = np.random.default_rng(k)
    scores = rng.integers(-3, 4, size=(50, 40)).astype(np.float32)  # many ties
    scores[rng.random(scores.shape) < 0.3] = -np.inf
    scores[0] = 0.0
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(top_k(scores, k), expected)


def test_the_model_alone_or_the_source_alone() -> None:
    query = np.array([0, 0, 0, 1, 1])
    source = np.array([3.0, 2.0, 1.0, 9.0, 5.0], np.float32)
    model = np.array([0.1, 0.2, 0.9, 0.4, 0.4], np.float32)
    np.testing.assert_array_equal(blend(query, source, model, 1.0), model)
    alone = blend(query, source, model, 0.0)
    assert np.argsort(-alone[:3]).tolist() == [0, 1, 2]
    # [3, 2, 1] has mean 2 and deviation sqrt(2 / 3); equal scores have none
    np.testing.assert_allclose(alone, [1.5**0.5, 0, -(1.5**0.5), 1, -1], atol=1e-6)
    half = blend(query, source, model, 0.5)
    np.testing.assert_allclose(half[3:], [0.5, -0.5], atol=1e-6)
