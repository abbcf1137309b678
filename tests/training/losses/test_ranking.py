"""Losses of a ranking task against their formulas, one row and one pair at a time in Python."""

import itertools
import math

import numpy as np
import pytest
import tensorflow as tf
from pydantic import TypeAdapter
from sklearn.metrics import log_loss

from reclife.config.objective import LossConfig
from reclife.training.losses import LOSSES, build
from reclife.training.losses.loss import Loss

LOGITS = [0.3, -1.2, 2.0, 0.1, -0.4, 1.5]
LABELS = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]
WEIGHTS = [1.0, 2.0, 0.5, 1.0, 3.0, 1.5]
GROUPS = [0, 0, 0, 4, 4, 2]


def made(kind: str, **options: float) -> Loss:
    return build(TypeAdapter(LossConfig).validate_python({"kind": kind, **options}))


def value(loss: Loss, logits=LOGITS, labels=LABELS, weights=WEIGHTS, groups=GROUPS) -> float:
    tensors = [tf.constant(x, tf.float32) for x in (logits, labels, weights)]
    return float(loss(*tensors, tf.constant(groups, tf.int32)))


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_binary_cross_entropy_is_that_of_scikit_learn():
    scores = [sigmoid(x) for x in LOGITS]
    expected = log_loss(LABELS, scores, sample_weight=WEIGHTS)
    assert value(made("binary_cross_entropy")) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("gamma", "alpha"), [(2.0, None), (0.5, 0.25)])
def test_focal_loss_follows_its_formula(gamma, alpha):
    a, b = (1.0, 1.0) if alpha is None else (alpha, 1 - alpha)
    rows = []
    for x, y in zip(LOGITS, LABELS, strict=True):
        p = sigmoid(x)
        rows.append(-(a * (1 - p) ** gamma * math.log(p) if y else b * p**gamma * math.log(1 - p)))
    expected = np.average(rows, weights=WEIGHTS)
    options = {"gamma": gamma} | ({} if alpha is None else {"alpha": alpha})
    assert value(made("focal", **options)) == pytest.approx(expected, rel=1e-5)


def test_focal_loss_without_focus_is_binary_cross_entropy():
    assert value(made("focal", gamma=0.0)) == pytest.approx(value(made("binary_cross_entropy")))


def test_focal_loss_has_a_finite_gradient_where_the_score_is_certain():
    logits = tf.constant([200.0, -200.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = made("focal", gamma=0.5)(
            logits, tf.constant([0.0, 1.0, 1.0]), tf.ones(3), tf.zeros(3, tf.int32)
        )
    assert np.isfinite(tape.gradient(loss, logits)).all()


def test_pairwise_loss_is_the_mean_over_ordered_pairs_of_a_group():
    losses, counts = [], []
    for i, j in itertools.permutations(range(6), 2):
        if GROUPS[i] == GROUPS[j] and LABELS[i] > LABELS[j]:
            losses.append(-math.log(sigmoid(LOGITS[i] - LOGITS[j])))
            counts.append(WEIGHTS[i] * WEIGHTS[j])
    assert len(losses) == 2
    expected = np.average(losses, weights=counts)
    assert value(made("pairwise")) == pytest.approx(expected, rel=1e-5)


def test_listwise_loss_is_the_mean_cross_entropy_of_the_groups_with_a_positive():
    losses = []
    for group in set(GROUPS):
        rows = [i for i in range(6) if GROUPS[i] == group]
        relevant = sum(WEIGHTS[i] * LABELS[i] for i in rows)
        total = sum(WEIGHTS[i] * math.exp(LOGITS[i]) for i in rows)
        if relevant:
            shares = [WEIGHTS[i] * LABELS[i] / relevant for i in rows]
            logs = [math.log(math.exp(LOGITS[i]) / total) for i in rows]
            losses.append(-sum(s * x for s, x in zip(shares, logs, strict=True)))
    assert len(losses) == 2
    assert value(made("listwise")) == pytest.approx(np.mean(losses), rel=1e-5)


def test_listwise_loss_with_inverse_probabilities_is_the_corrected_softmax():
    q = np.array([1.0, 0.25, 0.5, 0.1])
    logits = np.array([0.4, 1.0, -2.0, 0.3])
    corrected = np.exp(logits - np.log(q))
    expected = -math.log(corrected[0] / corrected.sum())
    found = value(made("listwise"), logits, [1, 0, 0, 0], 1 / q, [0, 0, 0, 0])
    assert found == pytest.approx(expected, rel=1e-5)


def test_listwise_loss_keeps_groups_apart_that_lie_far_from_one_another():
    logits, labels = [500.0, 499.0, -500.0, -501.0], [0, 1, 1, 0]
    expected = (math.log(1 + math.e) + math.log(1 + 1 / math.e)) / 2
    assert value(made("listwise"), logits, labels, [1] * 4, [0, 0, 1, 1]) == pytest.approx(expected)


@pytest.mark.parametrize("kind", sorted(LOSSES))
def test_a_row_without_weight_does_not_count(kind):
    with_it = value(
        made(kind),
        logits=[*LOGITS, 100.0],
        labels=[*LABELS, 0.0],
        weights=[*WEIGHTS, 0.0],
        groups=[*GROUPS, 0],
    )
    assert with_it == pytest.approx(value(made(kind)), rel=1e-6)


@pytest.mark.parametrize("kind", sorted(LOSSES))
def test_a_row_of_weight_two_counts_as_two_rows(kind):
    twice = [*range(6), 1]
    rows = [[column[i] for i in twice] for column in (LOGITS, LABELS, GROUPS)]
    repeated = value(made(kind), rows[0], rows[1], [1] * 7, rows[2])
    weighted = value(made(kind), weights=[1, 2, 1, 1, 1, 1])
    assert weighted == pytest.approx(repeated, rel=1e-5)


@pytest.mark.parametrize("kind", sorted(LOSSES))
def test_nothing_that_counts_gives_zero_and_no_gradient(kind):
    logits = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = made(kind)(logits, tf.constant(LABELS), tf.zeros(6), tf.constant(GROUPS))
    assert float(loss) == 0.0
    np.testing.assert_array_equal(tape.gradient(loss, logits), np.zeros(6))


@pytest.mark.parametrize("kind", sorted(LOSSES))
def test_xla_gives_the_same(kind):
    loss = made(kind)
    tensors = [tf.constant(x, tf.float32) for x in (LOGITS, LABELS, WEIGHTS)]
    compiled = tf.function(loss.__call__, jit_compile=True)
    assert float(compiled(*tensors, tf.constant(GROUPS))) == pytest.approx(value(loss), rel=1e-5)
