"""Schedules and early stopping are held against what there is to judge them by."""

import logging
import math

import numpy as np
import pyarrow as pa
import pytest
from tests.training import toy

from reclife.errors import ConfigError
from reclife.training.judges import check_judges, check_schedules, warm_ups
from reclife.training.train import train


def scheduled(**schedule):
    return toy.config(dense_optimizer={"kind": "adam", "schedule": schedule})


def validation(rows, label=None):
    from reclife.models import build

    table = toy.table(rows, seed=2)
    if label is not None:
        at = table.schema.get_field_index("label")
        table = table.set_column(at, "label", pa.array(np.full(rows, label)))
    return toy.examples(table, build(toy.config().model, toy.SPEC, seed=1))


def test_a_warm_up_ends_before_the_training_does():
    check_schedules(scheduled(kind="constant", warmup_steps=19), steps=20)
    with pytest.raises(
        ConfigError,
        match=r"dense_optimizer\.schedule: a warm-up of 20 steps is not over in the 20 steps",
    ):
        check_schedules(scheduled(kind="cosine", warmup_steps=20), steps=20)


@pytest.mark.parametrize(
    ("schedule", "share"),
    [
        ({"kind": "step", "every_steps": 18, "warmup_steps": 2}, 1.0),
        # at the last of 20 steps 19 of 40 are done
        ({"kind": "cosine", "decay_steps": 40}, (1 + math.cos(math.pi * 19 / 40)) / 2),
    ],
    ids=str,
)
def test_a_decay_that_goes_on_beyond_the_training_is_told(schedule, share, caplog):
    with caplog.at_level(logging.WARNING):
        check_schedules(scheduled(**schedule), steps=20)
    (record,) = caplog.records
    assert f"is still {share:.3g} times the declared one" in record.getMessage()


@pytest.mark.parametrize(
    "schedule",
    [
        {"kind": "step", "every_steps": 17, "warmup_steps": 2},
        {"kind": "cosine", "decay_steps": 20},
        {"kind": "cosine"},
        {"kind": "exponential", "decay_steps": 1000},
        {"kind": "plateau"},
    ],
    ids=str,
)
def test_a_schedule_that_fits_is_not_spoken_of(schedule, caplog):
    with caplog.at_level(logging.WARNING):
        check_schedules(scheduled(**schedule), steps=20)
    assert not caplog.records
    assert not list(warm_ups(scheduled(**schedule), steps=20))


@pytest.mark.parametrize(
    ("rows", "label", "metric", "why"),
    [
        (0, None, "logloss", "on the 0 validation examples: it needs known labels;"),
        (30, 1.0, "auc", "on the 30 validation examples: it needs known labels, of both kinds;"),
        (30, 0.0, "gauc", "of both kinds in one user_id;"),
    ],
)
def test_what_cannot_be_measured_judges_no_plateau_and_no_early_stop(
    rows, label, metric, why, caplog
):
    examples = validation(rows, label)
    judged = {"metric": metric}
    with pytest.raises(ConfigError) as refused:
        check_judges(scheduled(kind="plateau", **judged), examples, toy.SPEC.tasks)
    message = str(refused.value)
    assert f"dense_optimizer.schedule: {metric} of like cannot be measured" in message
    assert why in message
    caplog.clear()
    check_judges(toy.config(early_stopping=judged), examples, toy.SPEC.tasks)
    assert "all 2 epochs are done" in caplog.text
    caplog.clear()
    check_judges(toy.config(early_stopping=judged), validation(30), toy.SPEC.tasks)
    check_judges(toy.config(early_stopping=None), examples, toy.SPEC.tasks)
    assert not caplog.records


def test_one_class_is_enough_for_the_logloss(caplog):
    check_judges(scheduled(kind="plateau", metric="logloss"), validation(30, 1.0), toy.SPEC.tasks)


def test_a_warm_up_that_the_fit_ends_and_the_refit_does_not_is_told(tmp_path, caplog):
    """60 rows are one step an epoch, 80 with the validation examples two."""
    config = toy.config(
        model={"kind": "logistic_regression"},
        epochs=6,
        early_stopping={"metric": "logloss", "patience": 1},
        dense_optimizer={"kind": "adam", "schedule": {"kind": "constant", "warmup_steps": 5}},
        # far too fast: one of the first epochs is the best
        sparse_optimizer={"kind": "sgd", "learning_rate": 100.0},
    )
    data = toy.table(60, seed=1), toy.table(20, seed=2)
    report = train(config, toy.SPEC, *data, run_id="r", **toy.folders(tmp_path)).report
    steps = 2 * report.best_epoch
    assert steps <= 5
    assert f"a warm-up of 5 steps is not over in the {steps} steps of the training" in caplog.text
