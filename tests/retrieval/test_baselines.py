"""Every retriever against a brute-force form, on small random data."""

import numpy as np
import pyarrow as pa
import pytest

from reclife.config.retrieval import (
    DecayedPopularityConfig,
    EaseConfig,
    ItemKnnConfig,
    PopularityConfig,
    RetrieverConfig,
)
from reclife.errors import DataError
from reclife.retrieval import baselines, ease
from reclife.retrieval.histories import Histories
from reclife.retrieval.interactions import Interactions

DAY = 86_400


def random_events(users: int, items: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    seen = rng.random((users, items)) < 0.35
    seen[rng.integers(users, size=items), np.arange(items)] = True  # every item once at least
    user, item = np.nonzero(seen)
    again = rng.integers(len(user), size=10)  # repeated events: binary signals count them once
    user, item = np.append(user, user[again]), np.append(item, item[again])
    times = rng.integers(0, 500 * DAY, size=len(user))
    return pa.table({"user_id": user, "item_id": item * 7 + 100, "timestamp": times})


def dense(events: pa.Table) -> np.ndarray:
    users, items = np.asarray(events["user_id"]), np.asarray(events["item_id"])
    matrix = np.zeros((users.max() + 1, len(np.unique(items))))
    matrix[users, np.unique(items, return_inverse=True)[1]] = 1
    return matrix


HISTORY = [107, 121, 100, 128]  # oldest first
COLUMNS = [1, 3, 0, 4]


def by_hand(config: RetrieverConfig, events: pa.Table) -> np.ndarray:
    """Score all items for HISTORY, straight from the formula of the kind."""
    matrix = dense(events)
    items = np.unique(np.asarray(events["item_id"]), return_inverse=True)[1]
    if isinstance(config, PopularityConfig):
        return np.array([(items == i).sum() for i in range(matrix.shape[1])], float)
    if isinstance(config, DecayedPopularityConfig):
        times = np.asarray(events["timestamp"])
        weights = 0.5 ** ((times.max() - times) / DAY / config.half_life_days)
        return np.array([weights[items == i].sum() for i in range(matrix.shape[1])])
    together = matrix.T @ matrix
    count = matrix.sum(axis=0)
    if isinstance(config, ItemKnnConfig):
        weights = together / (np.sqrt(np.outer(count, count)) + config.shrinkage)
    else:
        inverse = np.linalg.inv(together + config.l2 * np.eye(len(together)))
        weights = -inverse / np.diag(inverse)[None, :]
    np.fill_diagonal(weights, 0)
    return sum(config.decay**age * weights[column] for age, column in enumerate(reversed(COLUMNS)))


@pytest.mark.parametrize(("users", "items"), [(8, 30), (60, 12)], ids=["few users", "few items"])
@pytest.mark.parametrize(
    "config",
    [
        PopularityConfig(),
        DecayedPopularityConfig(half_life_days=40),
        ItemKnnConfig(shrinkage=3, decay=0.6, neighbours=1000),
        EaseConfig(l2=5, decay=0.9, neighbours=1000),
    ],
    ids=lambda config: config.kind,
)
def test_scores_equal_the_formula(config: RetrieverConfig, users: int, items: int) -> None:
    events = random_events(users, items)
    fitted = baselines.fit(Interactions.of(events), config)
    histories = Histories.of(pa.array([HISTORY, []], pa.list_(pa.int64())), fitted.index)
    scores = fitted.scores(histories)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores[0], by_hand(config, events), rtol=2e-4, atol=2e-6)
    personal = isinstance(config, ItemKnnConfig | EaseConfig)
    np.testing.assert_array_equal(scores[1], 0 if personal else scores[0])


def test_dense_ease_satisfies_its_optimality_condition() -> None:
    """B minimises |X - XB|^2 + l2 |B|^2 with diag(B) = 0: off the diagonal the gradient is zero."""
    events = random_events(9, 25)
    matrix = dense(events)
    fitted = ease.fit(Interactions.of(events), EaseConfig(l2=4, neighbours=1000))
    weights = fitted.weights.toarray().astype(float)
    gradient = matrix.T @ (matrix @ weights - matrix) + 4 * weights
    np.fill_diagonal(gradient, 0)
    assert np.abs(np.diag(weights)).max() == 0
    assert np.abs(gradient).max() < 1e-4


def test_pruning_keeps_the_largest_weights_of_each_column() -> None:
    interactions = Interactions.of(random_events(9, 25))
    whole = ease.fit(interactions, EaseConfig(l2=4, neighbours=1000)).weights.toarray()
    some = ease.fit(interactions, EaseConfig(l2=4, neighbours=5)).weights.toarray()
    for column, kept in zip(whole.T, some.T, strict=True):
        best = np.sort(np.abs(column))[-5:]
        np.testing.assert_allclose(np.sort(np.abs(kept[kept != 0])), best, rtol=1e-6)
        assert set(kept[kept != 0]) <= set(column)


def test_popularity_without_time_weighs_every_event_alike() -> None:
    events = random_events(8, 30).drop(["timestamp"])
    index = Interactions.of(events)
    decayed = baselines.fit(index, DecayedPopularityConfig(half_life_days=1))
    plain = baselines.fit(index, PopularityConfig())
    empty = Histories.of(pa.array([[]], pa.list_(pa.int64())), index.index)
    np.testing.assert_array_equal(decayed.scores(empty), plain.scores(empty))


def test_too_large_a_matrix_is_refused_with_a_remedy() -> None:
    with pytest.raises(DataError, match=r"8 users and 30 items .* item_knn"):
        ease.fit(Interactions.of(random_events(8, 30)), EaseConfig(max_dense=10))


def test_a_penalty_below_single_precision_is_refused() -> None:
    """Four users who met both of two items: 4 + 1e-9 is 4, and the matrix has no inverse."""
    events = pa.table({"user_id": [1, 1, 2, 2, 3, 3, 4, 4], "item_id": [1, 2] * 4})
    with pytest.raises(DataError, match="l2 = 1e-09 is too small"):
        ease.fit(Interactions.of(events), EaseConfig(l2=1e-9))


def test_nothing_to_learn_from_is_an_error() -> None:
    with pytest.raises(DataError, match="0 rows"):
        Interactions.of(random_events(8, 30).slice(0, 0))
