"""Measures of a variant, against brute force."""

import numpy as np
import pytest

from reclife.compression.measure import top_overlap


def brute(users, a, b, top):
    shares = []
    for user in np.unique(users):
        rows = np.flatnonzero(users == user)
        if len(rows) <= top:
            continue
        best = [sorted(rows, key=lambda r, s=s: (-s[r], r))[:top] for s in (a, b)]
        shares.append(len(set(best[0]) & set(best[1])) / top)
    return np.mean(shares)


def test_overlap_is_that_of_brute_force():
    rng = np.random.default_rng(0)
    users = rng.integers(0, 12, 300)
    a = rng.random(300).round(1)  # ties
    b = (a + 0.3 * rng.random(300)).round(1)
    assert top_overlap(users, a, b, 10) == pytest.approx(brute(users, a, b, 10))


def test_the_same_order_overlaps_fully_and_the_reverse_not_at_all():
    users, scores = np.zeros(20, np.int64), np.arange(20.0)
    assert top_overlap(users, scores, scores * 2, 10) == 1.0
    assert top_overlap(users, scores, -scores, 10) == 0.0


def test_users_with_few_rows_do_not_count():
    users = np.array([0] * 10 + [1] * 20)
    a = np.arange(30.0)
    b = np.concatenate([a[:10], -a[10:]])
    assert top_overlap(users, a, b, 10) == 0.0
    assert top_overlap(users[:10], a[:10], b[:10], 10) == 1.0
