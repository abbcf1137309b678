"""The bootstrap against one that copies rows, and its coverage."""

import time

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from reclife.metrics.intervals import interval, resample, resampled_auc
from reclife.metrics.ratio import UserSums, summed


def test_resampled_auc_equals_copying_the_users_rows() -> None:
    rng = np.random.default_rng(0)
    users = rng.integers(0, 12, size=200)
    scores = rng.integers(0, 9, size=200) / 9
    labels = (rng.random(200) < 0.4).astype(float)
    counts = resample(12, 30, seed=1)
    found = resampled_auc(labels, scores, users, counts)
    for row, value in zip(counts, found, strict=True):
        copies = np.repeat(np.arange(200), row[users].astype(int))
        assert value == pytest.approx(roc_auc_score(labels[copies], scores[copies]), abs=1e-9)


def test_a_ratio_is_resampled_by_its_sums() -> None:
    rng = np.random.default_rng(0)
    users, values = rng.integers(0, 6, size=50), rng.random(50)
    counts = resample(6, 20, seed=2)
    assert counts.sum(axis=1).tolist() == [6.0] * 20
    sums = UserSums(summed(values, users, 6), summed(np.ones(50), users, 6))
    for row, value in zip(counts, sums.resampled(counts), strict=True):
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
    np.testing.assert_array_equal(resample(9, 5, 3), resample(9, 5, 3))
    assert interval(np.array([np.nan, np.nan])).low is None


def test_twenty_thousand_events_take_seconds() -> None:
    rng = np.random.default_rng(0)
    users = rng.integers(0, 147, size=20_000)
    labels, scores = (rng.random(20_000) < 0.5).astype(float), rng.random(20_000)
    counts = resample(147, 500, 0)
    start = time.process_time()
    resampled_auc(labels, scores, users, counts)
    assert time.process_time() - start < 5
