"""What lists are like, against plain loops."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse

from reclife.metrics import beyond
from reclife.metrics.beyond import (
    concentration,
    coverage,
    diversity,
    gini,
    novelty,
    popularity,
    repetition,
)

ITEMS = 30


@pytest.fixture(scope="module")
def listed() -> np.ndarray:
    rng = np.random.default_rng(0)
    rows = np.stack([rng.permutation(ITEMS)[:6] for _ in range(25)])
    rows[3, 2:] = -1
    rows[4, 1:] = -1
    rows[5] = -1
    return rows


@pytest.fixture(scope="module")
def met() -> np.ndarray:
    """Which of 40 users met which item."""
    rng = np.random.default_rng(1)
    seen = rng.random((ITEMS, 40)) < rng.random((ITEMS, 1)) * 0.5
    seen[:, 0] = True
    return seen


def own(row: np.ndarray) -> list[int]:
    return [int(item) for item in row if item >= 0]


def test_coverage_and_gini_by_hand() -> None:
    lists = np.array([[0, 1], [1, -1]])
    assert coverage(lists, 10) == 0.2
    counts = [0, 0, 1, 2]
    pairs = sum(abs(a - b) for a in counts for b in counts)
    assert gini(lists, 4) == pytest.approx(pairs / (2 * 16 * (3 / 4)))
    assert gini(np.array([[0, 1, 2, 3]]), 4) == pytest.approx(0.0)
    assert gini(np.array([[7]]), 100) == pytest.approx(0.99)
    assert np.isnan(gini(np.array([[-1]]), 4))


@pytest.mark.parametrize("seed", range(3))
def test_gini_is_half_the_mean_difference_of_two_items_over_their_mean(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lists = rng.zipf(1.5, size=(40, 5)) % 50
    lists[3, 2:] = -1
    counts = [(lists == item).sum() for item in range(60)]
    difference = np.mean([abs(a - b) for a in counts for b in counts])
    assert gini(lists, 60) == pytest.approx(difference / (2 * np.mean(counts)), abs=1e-9)
    assert coverage(lists, 60) == pytest.approx(np.mean([count > 0 for count in counts]), abs=1e-9)


def test_concentration_by_hand() -> None:
    shares = concentration(np.array([[0, 1], [1, -1], [1, 2]]), 4, points=5)
    assert shares == pytest.approx([0, 3 / 5, 4 / 5, 1, 1])


def test_novelty_and_popularity(listed: np.ndarray, met: np.ndarray) -> None:
    counts = met.sum(axis=1)
    bits, known = novelty(listed, counts, 40), popularity(listed, counts)
    for q, row in enumerate(listed):
        items = own(row)
        if not items:
            assert np.isnan(bits[q])
            assert np.isnan(known[q])
            continue
        assert known[q] == pytest.approx(np.mean([counts[i] for i in items]), abs=1e-9)
        expected = np.mean([-np.log2(counts[i] / 40) for i in items])
        assert bits[q] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("cells", [1, 100, 1 << 22])
@pytest.mark.parametrize("kind", ["cosine", "jaccard"])
def test_diversity(
    kind: str, cells: int, listed: np.ndarray, met: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beyond, "CELLS_AT_ONCE", cells)
    traits = met.copy()
    traits[[2, 9]] = False  # items without any trait

    def distance(a: int, b: int) -> float:
        both, either = (traits[a] & traits[b]).sum(), (traits[a] | traits[b]).sum()
        if kind == "cosine":
            either = np.sqrt(traits[a].sum() * traits[b].sum())
        return 1 - both / either if either else 0.0

    found = diversity(listed, sparse.csr_array(traits.astype(np.float32)), kind)
    for q, row in enumerate(listed):
        pairs = list(combinations(own(row), 2))
        if not pairs:
            assert np.isnan(found[q])
        else:
            expected = np.mean([distance(a, b) for a, b in pairs])
            assert found[q] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("cells", [1, 1 << 22])
def test_repetition_looks_at_the_users_list_before(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beyond, "CELLS_AT_ONCE", cells)
    listed = np.array([[1, 2, 3], [9, 9, 9], [3, 1, 8], [3, 1, 8], [5, -1, -1]])
    owners, times = np.array([0, 1, 0, 0, 0]), np.array([10, 5, 30, 40, 20])
    found = repetition(listed, owners, times)
    assert np.isnan(found[[0, 1]]).all()  # the first of each user
    assert found[4] == 0.0  # 5 after 1, 2, 3
    assert found[2] == 0.0  # 3, 1, 8 after 5
    assert found[3] == 1.0
