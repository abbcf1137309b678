"""List metrics against the mean over all orders of the ties, and against flattery."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from reclife.metrics.ranking import (
    METRICS,
    Places,
    at_k,
    graded_at_k,
    ideal_gain,
    per_user,
    places,
    standing,
)


def find(scores: np.ndarray, relevant: list[list[int]], extra: int = 0) -> Places:
    query = np.repeat(np.arange(len(relevant)), [len(r) for r in relevant])
    column = np.array([c for r in relevant for c in r], int)
    scores = np.asarray(scores, np.float32)
    above, tied = standing(np.sort(scores, axis=1), query, scores[query, column])
    return places(query, above, tied, np.bincount(query, minlength=len(relevant)) + extra)


def measured(
    scores: np.ndarray, relevant: list[list[int]], k: int, extra: int = 0
) -> dict[str, np.ndarray]:
    return at_k(find(scores, relevant, extra), k)


def of_one_order(order: list[int], relevant: list[int], k: int) -> dict[str, float]:
    """The textbook definitions, for one list without ties."""
    hits = [rank for rank, item in enumerate(order[:k], start=1) if item in relevant]
    ideal = sum(1 / np.log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))
    return {
        "ndcg": sum(1 / np.log2(rank + 1) for rank in hits) / ideal,
        "recall": len(hits) / len(relevant),
        "precision": len(hits) / k,
        "hit_rate": float(bool(hits)),
        "mrr": 1 / hits[0] if hits else 0.0,
        "map": sum(n / rank for n, rank in enumerate(hits, start=1)) / min(k, len(relevant)),
    }


def expected(scores: np.ndarray, relevant: list[int], k: int) -> dict[str, float]:
    """The mean over every order that the scores allow."""
    listed = [i for i in range(len(scores)) if np.isfinite(scores[i])]
    found = [
        of_one_order(list(order), relevant, k)
        for order in permutations(listed)
        if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]
    return {metric: float(np.mean([one[metric] for one in found])) for metric in METRICS}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("k", [1, 2, 4, 10])
def test_ties_count_at_their_expected_value(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, size=6).astype(float)
    scores[rng.random(6) < 0.15] = -np.inf
    relevant = rng.permutation(6)[: 1 + seed % 4].tolist()
    if not np.isfinite(scores).any():
        scores[0] = 1.0
    found, wanted = measured(scores[None], [relevant], k), expected(scores, relevant, k)
    for metric in METRICS:
        assert found[metric][0] == pytest.approx(wanted[metric], abs=1e-9), metric


@pytest.mark.parametrize("seed", range(5))
def test_ndcg_equals_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 8, size=(6, 20)).astype(float)
    relevant = [rng.permutation(20)[:5].tolist() for _ in range(6)]
    truth = np.zeros((6, 20))
    for row, columns in enumerate(relevant):
        truth[row, columns] = 1
    mine = measured(scores, relevant, 20)["ndcg"]  # scikit-learn averages ties alike, up to k = all
    assert mine.mean() == pytest.approx(ndcg_score(truth, scores), abs=1e-9)


def graded(scores: np.ndarray, gains: np.ndarray, k: int, beyond: tuple[float, ...] = ()) -> float:
    """The product's NDCG of one list whose every item is a target with a grade."""
    found = find(scores[None], [list(range(len(scores)))])
    every = np.append(gains, beyond)
    ideal = ideal_gain(np.zeros(len(every), int), every, 1, k)
    return float(graded_at_k(found, gains, ideal, k)[0])


def test_graded_reference_vector() -> None:
    """The list 3, 2, 3, 0, 1, 2 where the pool also holds a 3 and a 2."""
    gains = np.array([3, 2, 3, 0, 1, 2], float)
    order = -np.arange(6.0)
    assert graded(order, gains, 6, beyond=(3, 2)) == pytest.approx(0.785, abs=5e-4)
    assert graded(gains, gains, 6) == pytest.approx(1.0)
    assert np.isnan(graded(order, np.zeros(6), 6))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 3, 15])
def test_graded_ndcg_equals_scikit_learn_with_and_without_ties(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    gains = rng.integers(0, 5, size=15).astype(float)
    for scores in (rng.permutation(15).astype(float), rng.integers(0, 4, size=15).astype(float)):
        assert graded(scores, gains, k) == pytest.approx(
            ndcg_score(gains[None], scores[None], k=k), abs=1e-9
        )


ITEMS, QUERIES, TARGETS = 200, 300, 10


@pytest.fixture(scope="module")
def relevant() -> list[list[int]]:
    rng = np.random.default_rng(0)
    popularity = 1 / np.arange(1, ITEMS + 1)
    chances = popularity / popularity.sum()
    return [rng.choice(ITEMS, TARGETS, replace=False, p=chances).tolist() for _ in range(QUERIES)]


def truth(relevant: list[list[int]]) -> np.ndarray:
    matrix = np.zeros((QUERIES, ITEMS))
    for row, columns in enumerate(relevant):
        matrix[row, columns] = 1
    return matrix


def test_an_oracle_is_perfect(relevant: list[list[int]]) -> None:
    for metric, values in measured(truth(relevant), relevant, 10).items():
        np.testing.assert_allclose(values, 1.0, err_msg=metric, rtol=1e-9)


def test_a_constant_model_gets_what_chance_gets(relevant: list[list[int]]) -> None:
    constant = measured(np.zeros((QUERIES, ITEMS)), relevant, 10)
    np.testing.assert_allclose(constant["recall"], 10 / ITEMS)
    np.testing.assert_allclose(constant["ndcg"], 10 / ITEMS)  # each place is right with 10 / 200
    rng = np.random.default_rng(1)
    shuffled = [measured(rng.random((QUERIES, ITEMS)), relevant, 10) for _ in range(5)]
    for metric in METRICS:
        mean = np.mean([one[metric].mean() for one in shuffled])
        assert mean == pytest.approx(constant[metric].mean(), rel=0.1), metric


def test_popularity_lies_between_chance_and_oracle(relevant: list[list[int]]) -> None:
    popularity = np.tile(-np.arange(ITEMS, dtype=float), (QUERIES, 1))
    value = measured(popularity, relevant, 10)["ndcg"].mean()
    assert 0.2 < value < 0.9


def test_answering_few_users_does_not_win(relevant: list[list[int]]) -> None:
    """An oracle for one query in ten, silent otherwise, is worth a tenth of an oracle."""
    scores = np.full((QUERIES, ITEMS), -np.inf)
    scores[::10] = truth(relevant)[::10]
    for metric, values in measured(scores, relevant, 10).items():
        assert values.mean() == pytest.approx(0.1), metric


def test_targets_that_nobody_can_list_are_misses() -> None:
    scores = np.array([[3.0, 2.0, 1.0]])
    found = measured(scores, [[0]], 10, extra=1)
    assert found["recall"][0] == 0.5
    assert found["ndcg"][0] == pytest.approx(1 / (1 + 1 / np.log2(3)))


def test_a_query_without_targets_is_left_out_of_its_users_mean() -> None:
    found = measured(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]), [[0], [], [1]], 1)
    assert np.isnan(found["ndcg"][1])
    means = per_user(found["ndcg"], np.array([0, 0, 0]), 2)
    assert means[0] == 0.5
    assert np.isnan(means[1])
