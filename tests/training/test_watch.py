"""What is watched while training goes on: norms, rows that learn nothing, layers that do not."""

import logging

import numpy as np
import pyarrow as pa
import pytest
from tests.training import toy

from reclife.config.training import WatchConfig
from reclife.training.replicas import Alone
from reclife.training.synchronous import synchronous
from reclife.training.trainer import Rates
from reclife.training.watch import Watch


def test_norms_of_gradients_and_weights_and_the_share_of_rows_without_gradient():
    spec = toy.spec_of("item").model_copy(update={"weight": "weight"})
    config = toy.config(model={"kind": "logistic_regression"})
    trainer = synchronous(Alone())(config, spec, 1)
    rows = np.zeros((toy.ITEMS, 1), np.float32)
    rows[[2, 3]] = [[3.0], [4.0]]
    trainer.model.tables["items"].assign(rows)
    for pack in trainer.packs.values():
        pack.fill()
    columns = {"item": [2, 3], "label": [1.0, 0.0], "weight": [1.0, 0.0], "user_id": [1, 1]}
    examples = toy.examples(pa.table(columns), trainer.model, spec)
    batch = trainer.prepare(examples, np.arange(2))
    watched = trainer.step(batch, Rates(0.1, 0.1, 1), watch=True).watched
    # only one of two rows weighs anything: w (sigmoid(3) - 1) / the sum of weights
    gradient = abs(1 / (1 + np.exp(-3.0)) - 1)
    assert watched["gradient_norm/items"] == pytest.approx(gradient, rel=1e-5)
    assert watched["weight_norm/items"] == pytest.approx(5.0)
    assert watched["rows_without_gradient/items"] == 0.5
    assert watched["gradient_norm/bias/bias"] == pytest.approx(gradient, rel=1e-5)


@pytest.mark.parametrize(
    ("gradient", "said"),
    [(1e-12, "vanishing (1.0e-12 of its weights)"), (1e4, "exploding (1.0e+04"), (1.0, None)],
)
def test_a_part_that_vanishes_or_explodes_is_warned_of_once(gradient, said, caplog):
    watch = Watch(WatchConfig(vanishing=1e-9, exploding=1e3))
    found = {"gradient_norm/perceptron": gradient, "weight_norm/perceptron": 1.0}
    with caplog.at_level(logging.WARNING):
        watch.check(1, found)
        watch.check(2, found)
    warned = [record.getMessage() for record in caplog.records]
    assert len(warned) == (said is not None)
    assert all(str(said) in text and "perceptron" in text for text in warned)


def test_the_first_step_is_looked_at_and_then_every_so_many():
    watch = Watch(WatchConfig(every_steps=3))
    assert [step for step in range(1, 9) if watch.due(step)] == [1, 4, 7]
