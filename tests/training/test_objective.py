"""The sum over tasks: weights declared and learnt, labels that are not known, kept negatives."""

import math

import numpy as np
import pytest
import tensorflow as tf
from tests.training import toy

from reclife.config.objective import ObjectiveConfig
from reclife.contracts import Task
from reclife.training.objective import Objective, Targets

TASKS = (Task(name="click", label="label"), Task(name="buy", label="label_buy"))
SPEC = toy.SPEC.model_copy(update={"tasks": TASKS})
LOGITS = np.array([[0.5, -1.0], [1.0, 0.2], [-0.3, 2.0]])
LABELS = np.array([[1.0, 0.0], [0.0, np.nan], [1.0, np.nan]])
WEIGHTS = np.array([1.0, 2.0, 0.5])


def targets(labels: np.ndarray = LABELS) -> Targets:
    return Targets(
        tf.constant(labels, tf.float32), tf.constant(WEIGHTS, tf.float32), tf.zeros(3, tf.int32)
    )


def objective(**declared: object) -> Objective:
    return Objective(ObjectiveConfig.model_validate(declared), SPEC)


def cross_entropy(logit: float, label: float) -> float:
    return math.log(1 + math.exp(-logit)) if label else math.log(1 + math.exp(logit))


CLICK = np.average(
    [cross_entropy(x, y) for x, y in zip(LOGITS[:, 0], LABELS[:, 0], strict=True)], weights=WEIGHTS
)
BUY = cross_entropy(LOGITS[0, 1], 0.0)


def test_an_unknown_label_counts_for_no_task_but_its_row_for_the_others():
    total, each = objective()(tf.constant(LOGITS), targets())
    np.testing.assert_allclose(each, [CLICK, BUY], rtol=1e-5)
    assert float(total) == pytest.approx(CLICK + BUY, rel=1e-5)


def test_a_task_without_any_label_in_the_batch_is_left_out():
    labels = LABELS.copy()
    labels[:, 1] = np.nan
    logits = tf.constant(LOGITS, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        total, _ = objective()(logits, targets(labels))
    assert float(total) == pytest.approx(CLICK, rel=1e-5)
    assert np.isfinite(tape.gradient(total, logits)).all()


def test_declared_weights_and_losses_of_single_tasks():
    made = objective(
        tasks={"buy": {"kind": "focal", "gamma": 1.0}},
        weighting={"kind": "declared", "weights": {"buy": 0.25}},
    )
    total, each = made(tf.constant(LOGITS), targets())
    p = 1 / (1 + math.exp(-LOGITS[0, 1]))
    assert float(each[1]) == pytest.approx(p * BUY, rel=1e-5)
    assert float(total) == pytest.approx(CLICK + 0.25 * p * BUY, rel=1e-5)


def test_learnt_weights_follow_the_uncertainty():
    made = objective(weighting={"kind": "uncertainty"})
    (log_variance,) = made.variables
    log_variance.assign([0.7, -0.4])
    with tf.GradientTape() as tape:
        total, _ = made(tf.constant(LOGITS), targets())
    weighed = math.exp(-0.7) * CLICK + math.exp(0.4) * BUY
    assert float(total) == pytest.approx(weighed + (0.7 - 0.4) / 2, rel=1e-5)
    expected = [-math.exp(-0.7) * CLICK + 0.5, -math.exp(0.4) * BUY + 0.5]
    np.testing.assert_allclose(tape.gradient(total, log_variance.value), expected, rtol=1e-4)


def test_the_losses_see_the_odds_among_the_kept_negatives():
    spec = SPEC.model_copy(update={"negative_rate": 0.1})
    made = Objective(ObjectiveConfig(), spec)
    _, each = made(tf.constant(LOGITS), targets())
    shifted = LOGITS[0, 1] + math.log(10)
    assert float(each[1]) == pytest.approx(cross_entropy(shifted, 0.0), rel=1e-5)


@pytest.mark.parametrize(("kind", "grouped"), [("focal", False), ("listwise", True)])
def test_batches_keep_groups_together_where_a_loss_compares_within_them(kind, grouped):
    assert objective(tasks={"buy": {"kind": kind}}).grouped is grouped
