"""Losses over positives and negatives against their formulas, written out in numpy."""

import numpy as np
import pytest
import tensorflow as tf

from reclife.training.losses.bpr import bpr
from reclife.training.losses.gbce import gbce, gbce_beta
from reclife.training.losses.sampled_softmax import sampled_softmax, without_hits
from reclife.training.losses.softmax import softmax

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


def test_softmax_is_minus_the_log_of_the_share_of_the_target():
    logits = RNG.normal(size=(3, 2, 7))
    target = RNG.integers(0, 7, (3, 2))
    share = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    expected = -np.log(np.take_along_axis(share, target[..., None], axis=-1))[..., 0]
    np.testing.assert_allclose(softmax(tensor(logits), tf.constant(target)), expected, rtol=1e-5)


def test_sampled_softmax_divides_by_the_probability_of_being_drawn():
    q_positive, q_negative = RNG.random(POSITIVE.shape), RNG.random(NEGATIVE.shape)
    chosen = np.exp(POSITIVE) / q_positive
    expected = -np.log(chosen / (chosen + (np.exp(NEGATIVE) / q_negative).sum(axis=-1)))
    loss = sampled_softmax(
        tensor(POSITIVE), tensor(NEGATIVE), tensor(np.log(q_positive)), tensor(np.log(q_negative))
    )
    np.testing.assert_allclose(loss, expected, rtol=1e-5)


def test_the_corrected_gradient_of_many_samples_is_that_of_the_sum_over_all_items():
    scores = tf.constant([1.0, -0.5, 0.3, 2.0, -1.0])
    q = np.array([0.5, 0.2, 0.15, 0.1, 0.05])
    drawn = np.random.default_rng(1).choice(5, size=(1, 40_000), p=q)
    with tf.GradientTape() as tape:
        tape.watch(scores)
        # log of the expected count, so that the one positive weighs as one item of the full sum
        counts = tensor(np.log(q * drawn.size))
        positive = tf.gather(scores, [2])
        sampled = sampled_softmax(
            positive, tf.gather(scores, drawn), tf.zeros(1), tf.gather(counts, drawn)
        )
    # The sampled sum holds the positive twice: once as itself, once among the draws.
    share = np.exp(scores) / (np.exp(scores).sum() + np.exp(scores[2]))
    expected = share + np.eye(5)[2] * (share[2] - 1)
    gradient = tf.convert_to_tensor(tape.gradient(sampled, scores))
    np.testing.assert_allclose(gradient, expected, atol=5e-3)


def test_a_negative_that_is_the_positive_does_not_count():
    positive, negative = tensor([1.0]), tensor([[1.0, 0.5]])
    kept = without_hits(negative, tf.constant([[7, 8]]), tf.constant([7]))
    zero = tf.zeros(())
    expected = sampled_softmax(positive, negative[:, 1:], zero, zero)
    np.testing.assert_allclose(sampled_softmax(positive, kept, zero, zero), expected, rtol=1e-6)


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
