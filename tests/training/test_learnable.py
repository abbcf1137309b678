"""A training in which nothing is minimised does not begin."""

import numpy as np
import pytest
from tests.training import toy

from reclife.config.objective import ObjectiveConfig
from reclife.contracts import Task
from reclife.errors import ReclifeError
from reclife.training.examples import Examples
from reclife.training.learnable import check_examples

LIKE, BUY = Task(name="like", label="label"), Task(name="buy", label="label_buy")


def check(labels, weights=(1, 1, 1, 1), groups=(0, 0, 1, 1), tasks=(LIKE,), objective=None):
    """Check four examples with these labels of each task, weights and groups."""
    columns = np.array(labels, "f4").reshape(len(tasks), -1).T
    examples = Examples({}, columns, np.array(weights, "f4"), np.array(groups))
    check_examples(examples, (), tasks, ObjectiveConfig.model_validate(objective or {}))


GROUPED = {"loss": {"kind": "pairwise"}, "group": "query"}
NAN = float("nan")


def test_labels_that_differ_within_a_group_can_be_compared():
    check([1, 1, 0, 1], objective=GROUPED)
    check([1, 1, 0, 0])  # a loss of single examples needs no group


@pytest.mark.parametrize("kind", ["pairwise", "listwise"])
@pytest.mark.parametrize(
    ("labels", "weights", "groups"),
    [
        ([1, 1, 0, 0], (1, 1, 1, 1), (0, 0, 1, 1)),  # one label a group
        ([1, 0, 1, 0], (1, 1, 1, 1), (5, 9, 3, 7)),  # one example a group
        ([1, 0, 1, 0], (1, 0, 1, 0), (0, 0, 1, 1)),  # the others do not count
    ],
    ids=["labels", "examples", "weights"],
)
def test_groups_without_two_labels_are_refused(kind, labels, weights, groups):
    with pytest.raises(ReclifeError, match=f"{kind} compares the examples of one query"):
        check(labels, weights, groups, objective=GROUPED | {"loss": {"kind": kind}})


def test_the_task_whose_labels_cannot_be_compared_is_named():
    labels = [[1, 0, 1, 0], [1, NAN, NAN, 0]]
    single = {"buy": {"kind": "listwise"}}
    with pytest.raises(ReclifeError, match=r"no two of them .* labels of the task 'buy'"):
        check(labels, tasks=(LIKE, BUY), objective={"tasks": single})
    off = {"kind": "declared", "weights": {"buy": 0}}
    check(labels, tasks=(LIKE, BUY), objective={"tasks": single, "weighting": off})


def test_weights_that_leave_nothing_to_minimise_are_refused():
    with pytest.raises(ReclifeError, match="known label has the weight 0"):
        check([1, 0, 1, 0], weights=(0, 0, 0, 0))
    off = {"weighting": {"kind": "declared", "weights": {"like": 0}}}
    with pytest.raises(ReclifeError, match="the weight of like is 0, so that nothing is minimised"):
        check([1, 0, 1, 0], objective=off)
    check([[1, 0, 1, 0], [1, 0, 0, 0]], tasks=(LIKE, BUY), objective=off)
    learnt = {"weighting": {"kind": "uncertainty"}}
    check([1, 0, 1, 0], objective=learnt)


def test_the_refusal_is_of_what_has_no_gradient():
    """The losses that are refused are 0 and flat, by TensorFlow's own derivative."""
    import tensorflow as tf

    from reclife.training.objective import Objective, Targets

    labels, groups = [[1.0], [0.0], [1.0], [0.0]], [0, 1, 2, 3]
    for kind in ("pairwise", "listwise"):
        config = ObjectiveConfig.model_validate({"loss": {"kind": kind}})
        logits = tf.constant([[0.3], [-1.0], [2.0], [0.1]])
        targets = Targets(tf.constant(labels), tf.ones(4), tf.constant(groups))
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss, _ = Objective(config, toy.SPEC)(logits, targets)
        assert float(loss) == 0.0
        assert not np.any(tape.gradient(loss, logits))
