"""The bootstrap against one that copies rows, and its coverage."""

import time

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from reclife.metrics import resampling
from reclife.metrics.classification import curve
from reclife.metrics.intervals import area_slopes, interval, resampled_areas
from reclife.metrics.ratio import UserSums
from reclife.metrics.resampling import Resamples, resample
from reclife.metrics.sums import summed


def sample(seed: int, rows: int, users: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    owners = rng.integers(0, users, size=rows)
    taste = rng.normal(size=users)[owners]
    labels = (rng.random(rows) < 1 / (1 + np.exp(-taste))).astype(float)
    scores = (taste + rng.normal(size=rows)).round(1)
    return labels, scores, owners


def test_resampled_areas_equal_copying_the_users_rows() -> None:
    labels, scores, users = sample(0, 200, 12)
    resamples = resample(12, 30, seed=1)
    areas = resampled_areas(labels, curve(labels, scores), users, resamples)
    for row, auc, precision in zip(resamples.counts, *areas, strict=True):
        copies = np.repeat(np.arange(200), row[users].astype(int))
        truth, values = labels[copies], scores[copies]
        assert auc == pytest.approx(roc_auc_score(truth, values), abs=1e-9)
        assert precision == pytest.approx(average_precision_score(truth, values), abs=1e-9)


def test_slopes_are_the_derivatives_by_a_users_weight() -> None:
    labels, scores, users = sample(1, 300, 10)
    slopes = area_slopes(labels, curve(labels, scores), users, 10)
    step = 1e-5
    for user in range(10):
        weights = np.ones((2, 10))
        weights[:, user] += [step, -step]
        moved = resampled_areas(
            labels, curve(labels, scores), users, Resamples(weights), exact=True
        )
        for area, slope in zip(moved, slopes, strict=True):
            assert (area[0] - area[1]) / (2 * step) == pytest.approx(slope[user], abs=1e-8)
    assert slopes.auc.sum() == pytest.approx(0, abs=1e-12)
    assert slopes.average_precision.sum() == pytest.approx(0, abs=1e-12)


def test_linear_intervals_are_those_of_the_exact_resamples() -> None:
    labels, scores, users = sample(2, 20_000, 500)
    resamples = resample(500, 400, seed=3)
    exact = resampled_areas(labels, curve(labels, scores), users, resamples, exact=True)
    linear = resampled_areas(labels, curve(labels, scores), users, resamples, exact=False)
    for one, other in zip(exact, linear, strict=True):
        wanted, found = interval(one), interval(other)
        width = wanted.high - wanted.low
        assert found.low == pytest.approx(wanted.low, abs=0.05 * width)
        assert found.high == pytest.approx(wanted.high, abs=0.05 * width)


def test_many_users_are_resampled_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    sums = UserSums(rng.gamma(1.0, size=3000), np.ones(3000))
    one_by_one = interval(sums.resampled(resample(3000, 2000, seed=0)))
    monkeypatch.setattr(resampling, "MOST_UNITS", 500)
    grouped = resample(3000, 2000, seed=0)
    assert grouped.counts.shape == (2000, 500)
    found = interval(sums.resampled(grouped))
    width = one_by_one.high - one_by_one.low
    assert found.low == pytest.approx(one_by_one.low, abs=0.15 * width)
    assert found.high == pytest.approx(one_by_one.high, abs=0.15 * width)


def test_a_ratio_is_resampled_by_its_sums() -> None:
    rng = np.random.default_rng(0)
    users, values = rng.integers(0, 6, size=50), rng.random(50)
    resamples = resample(6, 20, seed=2)
    assert resamples.counts.sum(axis=1).tolist() == [6.0] * 20
    sums = UserSums(summed(values, users, 6), summed(np.ones(50), users, 6))
    for row, value in zip(resamples.counts, sums.resampled(resamples), strict=True):
        copies = np.repeat(np.arange(50), row[users].astype(int))
        assert value == pytest.approx(values[copies].mean(), abs=1e-12)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Users differ more than events of one user: resampling events would fail here."""
    rng = np.random.default_rng(5)
    held = 0
    for trial in range(200):
        level = rng.normal(size=60)
        values = (level[:, None] + 0.1 * rng.normal(size=(60, 20))).ravel()
        users = np.repeat(np.arange(60), 20)
        sums = UserSums(summed(values, users, 60), summed(np.ones(1200), users, 60))
        bounds = interval(sums.resampled(resample(60, 300, seed=trial)))
        assert bounds.low is not None
        assert bounds.high is not None
        held += bounds.low <= 0.0 <= bounds.high
    assert 0.88 <= held / 200 <= 0.99  # 95 % within three standard errors, a little less by nature


def test_the_same_seed_gives_the_same_draws_and_no_draw_no_bounds() -> None:
    np.testing.assert_array_equal(resample(9, 5, 3).counts, resample(9, 5, 3).counts)
    assert interval(np.array([np.nan, np.nan])).low is None


def test_twenty_thousand_events_take_seconds() -> None:
    rng = np.random.default_rng(0)
    users = rng.integers(0, 147, size=20_000)
    labels, scores = (rng.random(20_000) < 0.5).astype(float), rng.random(20_000)
    resamples = resample(147, 500, 0)
    start = time.process_time()
    resampled_areas(labels, curve(labels, scores), users, resamples)
    assert time.process_time() - start < 5
