"""Against scikit-learn, on random data with ties."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

from reclife.errors import DataError
from reclife.metrics.calibration import calibration_sums, reliability
from reclife.metrics.classification import (
    auc,
    auc_and_gauc,
    average_precision,
    gauc,
    logloss,
    logloss_sums,
    normalized_entropy,
)


def sample(
    seed: int, rows: int = 500, levels: int = 12
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    scores = rng.integers(1, levels, size=rows) / levels
    labels = (rng.random(rows) < scores).astype(float)
    users = rng.integers(0, 25, size=rows)
    labels[users == 3] = 1.0  # one class only
    users[users == 4] = 5  # a user without events
    return labels, scores, users


SCALES = {
    "float64": lambda scores: scores,
    "float32": lambda scores: scores.astype(np.float32),
    "negative": lambda scores: -(scores.astype(np.float32)),
    "around zero": lambda scores: (scores - 0.5).astype(np.float32),
    "signed zero": lambda scores: np.where(scores < 0.5, np.float32(-0.0), np.float32(0.0)),
    "infinite": lambda scores: np.where(scores < 0.3, -np.inf, scores).astype(np.float32),
}


def finite(scores: np.ndarray) -> np.ndarray:
    return np.nan_to_num(scores, neginf=-1e30)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(5))
def test_areas_and_logloss_equal_scikit_learn(seed: int, scale: str) -> None:
    labels, scores, _ = sample(seed)
    values = SCALES[scale](scores)
    expected = roc_auc_score(labels, finite(values))
    assert auc(labels, values) == pytest.approx(expected, abs=1e-9)
    expected = average_precision_score(labels, finite(values))
    assert average_precision(labels, values) == pytest.approx(expected, abs=1e-9)
    assert logloss(labels, scores) == pytest.approx(log_loss(labels, scores), abs=1e-9)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(5))
def test_gauc_is_the_weighted_mean_of_the_users_with_both_classes(seed: int, scale: str) -> None:
    labels, scores, users = sample(seed)
    scores = SCALES[scale](scores)
    areas, events, left_out = [], [], 0
    for user in np.unique(users):
        mine = users == user
        if len(np.unique(labels[mine])) < 2:
            left_out += 1
            continue
        areas.append(roc_auc_score(labels[mine], finite(scores[mine])))
        events.append(mine.sum())
    found = gauc(labels, scores, users, 25)
    assert found.sums.value == pytest.approx(np.average(areas, weights=events), abs=1e-9)
    assert found.left_out == left_out >= 1
    area, same = auc_and_gauc(labels, scores, users, 25)
    assert area == pytest.approx(roc_auc_score(labels, finite(scores)), abs=1e-9)
    np.testing.assert_array_equal(same.sums.numerators, found.sums.numerators)
    assert same.left_out == left_out


def test_a_constant_model_has_one_half_and_an_oracle_one() -> None:
    labels, _, users = sample(0)
    constant = np.full(len(labels), 0.3)
    assert auc(labels, constant) == 0.5
    assert gauc(labels, constant, users, 25).sums.value == 0.5
    assert average_precision(labels, constant) == pytest.approx(labels.mean())
    assert auc(labels, labels) == 1.0
    assert gauc(labels, labels, users, 25).sums.value == 1.0
    assert average_precision(labels, labels) == 1.0
    assert auc(labels, -labels) == 0.0


def test_one_class_has_no_auc() -> None:
    assert np.isnan(auc(np.ones(3), np.arange(3.0)))
    assert np.isnan(gauc(np.ones(3), np.arange(3.0), np.zeros(3, int), 1).sums.value)
    assert np.isnan(average_precision(np.zeros(3), np.arange(3.0)))
    assert np.isnan(auc(np.ones(0), np.ones(0)))
    assert np.isnan(average_precision(np.ones(0), np.ones(0)))


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(DataError, match="1 of 3 scores"):
        auc(np.array([0.0, 1.0, 1.0]), np.array([0.1, np.nan, 0.3], np.float32))


def test_certain_and_wrong_costs_much_but_not_infinity() -> None:
    assert logloss(np.array([0.0]), np.array([1.0])) == pytest.approx(-np.log(1e-7), rel=1e-6)


def test_normalized_entropy_is_one_for_the_base_rate() -> None:
    labels, scores, _ = sample(2)
    rate = labels.mean()
    constant = logloss(labels, np.full(len(labels), rate))
    assert normalized_entropy(constant, rate) == pytest.approx(1.0, abs=1e-12)
    expected = log_loss(labels, scores) / log_loss(labels, np.full(len(labels), rate))
    found = normalized_entropy(logloss(labels, scores), rate)
    assert found == pytest.approx(expected, abs=1e-9)
    assert np.isnan(normalized_entropy(0.3, 1.0))


def test_sums_by_user_give_the_same_as_all_events() -> None:
    labels, scores, users = sample(1)
    assert logloss_sums(labels, scores, users, 25).value == pytest.approx(logloss(labels, scores))
    ratio = calibration_sums(labels, scores, users, 25).value
    assert ratio == pytest.approx(scores.sum() / labels.sum())


@pytest.mark.parametrize("bins", [1, 7, 10, 400])
@pytest.mark.parametrize("seed", range(3))
def test_reliability_and_its_error_equal_scikit_learn(seed: int, bins: int) -> None:
    rng = np.random.default_rng(seed)
    chances = rng.beta(2, 5, 3000)
    labels = (rng.random(3000) < chances**1.5).astype(float)
    found = reliability(labels, chances, bins)
    observed, predicted = calibration_curve(labels, chances, n_bins=bins)
    some = found.events > 0
    np.testing.assert_allclose(found.observed[some], observed, atol=1e-9)
    np.testing.assert_allclose(found.predicted[some], predicted, atol=1e-9)
    edges = np.linspace(0, 1, bins + 1)
    expected = 0.0
    for low, high in pairwise(edges):
        inside = (chances >= low) & (chances < high)
        if inside.any():
            expected += inside.mean() * abs(labels[inside].mean() - chances[inside].mean())
    assert found.error == pytest.approx(expected, abs=1e-9)


def test_reliability_by_hand() -> None:
    labels = np.array([0, 1, 1, 1, 0], float)
    chances = np.array([0.1, 0.2, 0.9, 1.0, 0.8])
    found = reliability(labels, chances, 2)
    assert found.events.tolist() == [2, 3]
    np.testing.assert_allclose(found.predicted, [0.15, 0.9])
    np.testing.assert_allclose(found.observed, [0.5, 2 / 3])
    assert found.error == pytest.approx((2 * 0.35 + 3 * (0.9 - 2 / 3)) / 5)
    assert reliability(labels, chances, 20).error > 0  # empty bins are no error
