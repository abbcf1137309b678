"""Every row of a batch goes to one copy, and the copies' parts add up to the whole."""

from itertools import pairwise

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from tests.training import toy

from reclife.config.objective import ObjectiveConfig
from reclife.training.examples import Batches, Examples
from reclife.training.objective import Objective, Targets
from reclife.training.slices import slices


@given(st.integers(0, 50), st.integers(1, 7))
def test_each_row_is_in_one_slice_and_slices_are_even(rows, count):
    parts = slices(rows, count, None)
    taken = np.concatenate([np.arange(rows)[part] for part in parts])
    np.testing.assert_array_equal(taken, np.arange(rows))
    sizes = [part.stop - part.start for part in parts]
    assert max(sizes) - min(sizes) <= 1


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(1, 4))
def test_no_group_is_cut(lengths, count):
    groups = np.repeat(np.arange(len(lengths)), lengths)
    parts = slices(len(groups), count, groups)
    assert parts[0].start == 0
    assert parts[-1].stop == len(groups)
    for before, after in pairwise(parts):
        assert before.stop == after.start
        at = after.start
        assert at in (0, len(groups)) or groups[at - 1] != groups[at]


def test_an_epoch_shows_every_row_once_to_one_of_three_copies():
    count = np.zeros(601, int)
    array = np.arange(601)
    batches = Batches(Examples({}, array, array, array), 64, seed=3)
    order = batches.order(2)
    for index in range(len(batches)):
        rows = batches.positions(order, index)
        for part in slices(len(rows), 3, None):
            count[rows[part]] += 1
    assert (count == 1).all()


@pytest.mark.parametrize("kind", ["binary_cross_entropy", "focal", "pairwise", "listwise"])
@pytest.mark.parametrize("weighting", ["declared", "uncertainty"])
def test_the_mean_over_slices_is_the_objective_of_the_batch(kind, weighting):
    rng = np.random.default_rng(0)
    groups = np.repeat([4, 0, 2, 1], [3, 5, 4, 1])
    logits = rng.normal(size=(13, 1)).astype("f4")
    labels = rng.integers(0, 2, (13, 1)).astype("f4")
    weights = rng.uniform(0.5, 2, 13).astype("f4")
    declared = {"loss": {"kind": kind}, "weighting": {"kind": weighting}}
    objective = Objective(ObjectiveConfig.model_validate(declared), toy.SPEC)
    for variable in objective.variables:
        variable.assign([0.3])

    def targets(part: slice) -> Targets:
        numbers = np.unique(groups[part], return_inverse=True)[1].astype("i4")
        return Targets(*map(tf.constant, (labels[part], weights[part], numbers)))

    whole, _ = objective(tf.constant(logits), targets(slice(None)))
    parts = [targets(part) for part in slices(13, 3, groups)]
    counts = tf.add_n([objective.counts(part) for part in parts]) / 3
    values = [
        objective(tf.constant(logits[part]), target, counts)[0]
        for part, target in zip(slices(13, 3, groups), parts, strict=True)
    ]
    assert float(tf.add_n(values) / 3) == pytest.approx(float(whole), rel=1e-5)
