"""Losses over positives and negatives against their formulas, written out in numpy."""

import numpy as np
import pytest
import tensorflow as tf

from reclife.training.losses.bpr import bpr
from reclife.training.losses.gbce import gbce, gbce_beta
from reclife.training.losses.hits import without_hits
from reclife.training.losses.sampled_softmax import sampled_softmax

RNG = np.random.default_rng(0)
POSITIVE = RNG.normal(size=(3, 2))
NEGATIVE = RNG.normal(size=(3, 2, 4))


def tensor(values: np.ndarray) -> tf.Tensor:
    return tf.constant(values, tf.float32)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def test_bpr_is_the_mean_logistic_loss_of_the_differences():
    expected = -np.log(sigmoid(POSITIVE[..., None] - NEGATIVE)).mean(axis=-1)
    np.testing.assert_allclose(bpr(tensor(POSITIVE), tensor(NEGATIVE)), expected, rtol=1e-5)


def test_sampled_softmax_counts_the_positive_once_and_each_other_by_its_chance():
    scores, chances = RNG.normal(size=5), RNG.random(5)
    weighed = np.exp(scores) / chances
    for positive, sample in ((2, [0, 2, 4]), (2, [0, 4]), (1, [1, 3]), (0, [1])):
        others = sum(weighed[j] for j in sample if j != positive)
        expected = -np.log(np.exp(scores[positive]) / (np.exp(scores[positive]) + others))
        loss = sampled_softmax(
            tensor(scores[positive]),
            tensor(np.log(weighed[sample].sum())),
            tensor(chances[positive] if positive in sample else 0.0),
        )
        np.testing.assert_allclose(loss, expected, rtol=1e-4)


@pytest.mark.parametrize("lead", [-80.0, 0.0, 12.0, 90.0])
def test_a_sample_of_everything_is_the_softmax_however_large_the_scores(lead):
    """Also where the positive has all of the sum, and float32 nothing left for the others."""
    scores = tf.constant([lead, -0.5, 0.3, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(scores)
        loss = sampled_softmax(scores[0], tf.reduce_logsumexp(scores), tf.ones(()))
    shares = np.exp(scores - np.max(scores).astype("f8"))
    shares /= shares.sum()
    np.testing.assert_allclose(loss, -np.log(shares[0]), rtol=1e-4, atol=2e-6)
    expected = shares - np.eye(4)[0]
    np.testing.assert_allclose(tape.gradient(loss, scores), expected, rtol=0.02, atol=2e-6)


def test_a_sample_of_the_positive_alone_costs_nothing():
    score, chance = tf.constant([1.5]), tf.constant([0.3])
    assert float(sampled_softmax(score, score - tf.math.log(chance), chance)[0]) < 1e-5


def test_a_negative_that_is_the_positive_does_not_count():
    negative = tensor([[1.0, 0.5]])
    kept = without_hits(negative, tf.constant([[7, 8]]), tf.constant([7]))
    np.testing.assert_allclose(tf.reduce_logsumexp(kept, axis=-1), [0.5], rtol=1e-6)


@pytest.mark.parametrize("beta", [1.0, 0.3])
def test_gbce_raises_the_probability_of_the_positive_to_a_power(beta):
    total = np.log(sigmoid(POSITIVE) ** beta) + np.log(1 - sigmoid(NEGATIVE)).sum(axis=-1)
    loss = gbce(tensor(POSITIVE), tensor(NEGATIVE), beta)
    np.testing.assert_allclose(loss, -total / 5, rtol=1e-5)


def test_the_power_runs_from_one_to_the_sampling_rate():
    assert gbce_beta(10, 101, calibration=0.0) == 1.0
    assert gbce_beta(10, 101, calibration=1.0) == pytest.approx(0.1)
    assert gbce_beta(10, 101, calibration=0.75) == pytest.approx(0.75 * 0.1 + 0.25)
    assert gbce_beta(100, 101, calibration=0.5) == 1.0
    assert gbce_beta(500, 101, calibration=0.5) == 1.0
