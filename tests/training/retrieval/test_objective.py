"""The losses of retrievers on shared negatives, by loops over single scores."""

import math

import numpy as np
import pytest
import tensorflow as tf
from pydantic import TypeAdapter

from reclife.config.neural import LossConfig
from reclife.training.retrieval.log_partition import log_partition
from reclife.training.retrieval.objective import Objective, Sides

QUERIES, ITEMS, DIM = 3, 7, 4
ROWS, TARGETS = np.array([0, 0, 1, 2, 2]), np.array([3, 1, 6, 0, 3])
SEED = tf.constant([5, 11])
RNG = np.random.default_rng(0)
SIDES = [RNG.normal(size=s).astype("f4") for s in ((QUERIES, DIM), (ITEMS, DIM), (ITEMS,))]
SCORES = SIDES[0].astype(float) @ SIDES[1].T.astype(float) + SIDES[2]
POSITIVES = SCORES[ROWS, TARGETS]
PAIRS = list(zip(ROWS.tolist(), TARGETS.tolist(), strict=True))


def loss(**declared: object) -> float:
    config = TypeAdapter(LossConfig).validate_python(declared)
    objective = Objective(config, TARGETS, ITEMS)
    return float(objective(Sides(*map(tf.constant, SIDES)), ROWS, TARGETS, SEED))


def drawn(count: int) -> np.ndarray:
    """Return the scores `[M, N]` of the items that a step of this seed draws, of hits -inf."""
    ids = tf.random.stateless_uniform([count], SEED, maxval=ITEMS, dtype=tf.int32).numpy()
    assert np.isin(ids, TARGETS).any()
    return np.where(ids == TARGETS[:, None], -np.inf, SCORES[ROWS][:, ids])


def sampled(negatives: int, in_batch: bool) -> tuple[set[int], np.ndarray]:
    """Return the items that a step of this seed draws, and each item's chance to be drawn."""
    keys = tf.random.stateless_uniform([ITEMS], SEED).numpy()
    ids, absent = set(np.argsort(-keys)[:negatives].tolist()), np.full(ITEMS, 1 - negatives / ITEMS)
    if in_batch:
        ids |= set(TARGETS.tolist())
        absent *= (1 - np.bincount(TARGETS, minlength=ITEMS) / len(TARGETS)) ** len(TARGETS)
    return ids, 1 - absent


def test_softmax_is_over_all_items():
    expected = np.mean([math.log(np.exp(SCORES[r] - SCORES[r, t]).sum()) for r, t in PAIRS])
    assert loss(kind="softmax") == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("negatives", [7, 70])
@pytest.mark.parametrize("in_batch", [False, True])
def test_a_sample_of_all_items_is_the_softmax(negatives, in_batch):
    found = loss(kind="sampled_softmax", negatives=negatives, in_batch=in_batch)
    assert found == pytest.approx(loss(kind="softmax"), rel=1e-5)


@pytest.mark.parametrize("in_batch", [False, True])
def test_sampled_items_weigh_one_over_their_chance_and_the_target_one(in_batch):
    ids, chances = sampled(3, in_batch)
    expected = np.mean(
        [
            math.log(1 + sum(math.exp(SCORES[r, i] - SCORES[r, t]) / chances[i] for i in ids - {t}))
            for r, t in PAIRS
        ]
    )
    found = loss(kind="sampled_softmax", negatives=3, in_batch=in_batch)
    assert found == pytest.approx(expected, rel=1e-5)


def test_bpr_is_the_mean_over_the_drawn_items():
    expected = np.mean(
        [
            np.mean([math.log1p(math.exp(negative - positive)) for negative in negatives])
            for positive, negatives in zip(POSITIVES, drawn(6), strict=True)
        ]
    )
    assert loss(kind="bpr", negatives=6) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("calibration", [0.0, 0.75])
def test_gbce_raises_the_positive_to_the_power_of_the_paper(calibration):
    alpha = 4 / (ITEMS - 1)
    beta = alpha * (calibration * (1 - 1 / alpha) + 1 / alpha)
    expected = np.mean(
        [
            (beta * math.log1p(math.exp(-positive)) + np.log1p(np.exp(negatives)).sum()) / 5
            for positive, negatives in zip(POSITIVES, drawn(4), strict=True)
        ]
    )
    found = loss(kind="gbce", negatives=4, calibration=calibration)
    assert found == pytest.approx(expected, rel=1e-5)


def test_the_gradient_of_the_partition_is_that_of_its_formula():
    """Of log sum exp(s) it is the softmax, carried to both sides of the products."""
    upstream = np.array([0.5, -1.0, 2.0], "f4")
    sides = [tf.constant(side) for side in SIDES]
    with tf.GradientTape() as tape:
        tape.watch(sides)
        found = log_partition(*sides)
        total = tf.reduce_sum(found * upstream)
    np.testing.assert_allclose(found, np.log(np.exp(SCORES).sum(axis=1)), rtol=1e-5)
    shares = np.exp(SCORES) / np.exp(SCORES).sum(axis=1, keepdims=True) * upstream[:, None]
    expected = shares @ SIDES[1], shares.T @ SIDES[0], shares.sum(axis=0)
    for one, other in zip(tape.gradient(total, sides), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_scores_that_overflow_an_exponential_have_a_partition():
    sides = [tf.constant(side * scale) for side, scale in zip(SIDES, (100, 100, 0), strict=True)]
    expected = (1e4 * SIDES[0].astype(float) @ SIDES[1].T).max(axis=1)
    np.testing.assert_allclose(log_partition(*sides), expected, rtol=1e-4)
