"""The two tests against every choice of signs, scipy, and how often they cry wolf."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from reclife.metrics.ratio import UserSums
from reclife.metrics.resampling import resample
from reclife.metrics.significance import bootstrap_p, holm, sign_flip_p


def test_random_signs_estimate_the_share_of_all_signs() -> None:
    gaps = np.random.default_rng(0).normal(0.4, 1, size=12)
    sums = [abs(np.dot(signs, gaps)) for signs in product((-1, 1), repeat=12)]
    exact = np.mean(np.array(sums) >= abs(gaps.sum()) - 1e-12)
    assert sign_flip_p(gaps, 20_000, seed=1) == pytest.approx(exact, abs=0.012)  # 3.5 errors


def test_equal_models_do_not_differ() -> None:
    assert sign_flip_p(np.zeros(50), 200, seed=0) == 1.0
    assert bootstrap_p(np.zeros(100)) == 1.0
    assert np.isnan(bootstrap_p(np.array([np.nan])))


def test_a_p_value_is_never_zero() -> None:
    assert sign_flip_p(np.ones(50), 999, seed=0) == pytest.approx(1 / 1000)
    assert bootstrap_p(np.ones(999)) == pytest.approx(2 / 1000)


@pytest.mark.parametrize("shift", [0.05, 0.1, 0.2])
def test_both_agree_with_the_paired_t_test_on_many_users(shift: float) -> None:
    gaps = np.random.default_rng(3).normal(shift, 1, size=400)
    expected = stats.ttest_1samp(gaps, 0.0).pvalue
    draws = UserSums.mean(gaps).resampled(resample(400, 4000, seed=0))
    assert sign_flip_p(gaps, 4000, seed=0) == pytest.approx(expected, abs=0.03)
    assert bootstrap_p(draws) == pytest.approx(expected, abs=0.04)


def test_without_a_difference_one_in_twenty_is_below_five_percent() -> None:
    rng = np.random.default_rng(7)
    values = np.array([sign_flip_p(rng.standard_t(3, size=60), 199, seed=s) for s in range(400)])
    assert 0.02 <= (values <= 0.05).mean() <= 0.09


def test_p_values_of_several_tests_are_adjusted_as_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])  # 3 x .01, then 2 x .03
    assert holm([0.9, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
