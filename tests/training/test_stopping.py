"""Early stopping over made-up histories."""

import pytest

from reclife.config.training import EarlyStoppingConfig
from reclife.contracts import EpochRow
from reclife.training.stopping import best_epoch, should_stop


def measured(auc: float | None, logloss: float | None) -> dict[str, float]:
    values = {"auc": auc, "logloss": logloss}
    return {name: value for name, value in values.items() if value is not None}


def rows(auc: list[float | None], logloss: list[float] | None = None) -> list[EpochRow]:
    return [
        EpochRow(
            phase="fit",
            epoch=i + 1,
            loss=0.5,
            gradient_norm=1.0,
            learning_rate=0.1,
            sparse_learning_rate=0.1,
            validation={"like": measured(value, None if logloss is None else logloss[i])},
            seconds=1.0,
            waiting_seconds=0.0,
        )
        for i, value in enumerate(auc)
    ]


@pytest.mark.parametrize(
    ("auc", "best", "stop"),
    [
        ([0.6], 1, False),
        ([0.6, 0.5], 1, False),
        ([0.6, 0.5, 0.55], 1, True),
        ([0.6, 0.5, 0.7, 0.65], 3, False),
        ([0.6, 0.6], 1, False),
        ([None, None, None], 3, False),
    ],
)
def test_auc_with_patience_two(auc, best, stop):
    config = EarlyStoppingConfig(metric="auc", patience=2)
    assert best_epoch(rows(auc), config) == best
    assert should_stop(rows(auc), config) is stop


def test_logloss_is_better_when_lower():
    history = rows([0.6, 0.7, 0.8], logloss=[0.5, 0.4, 0.45])
    config = EarlyStoppingConfig(metric="logloss", patience=1)
    assert best_epoch(history, config) == 2
    assert should_stop(history, config)


def test_without_early_stopping_the_last_epoch_counts():
    assert best_epoch(rows([0.9, 0.1]), None) == 2
    assert not should_stop(rows([0.9, 0.1, 0.1, 0.1]), None)


def test_a_declared_task_is_judged_by_itself():
    history = [
        row.model_copy(update={"validation": {"click": {"auc": a}, "buy": {"auc": b}}})
        for row, a, b in zip(rows([0, 0, 0]), (0.5, 0.6, 0.7), (0.9, 0.8, 0.7), strict=True)
    ]
    assert best_epoch(history, EarlyStoppingConfig()) == 3
    assert best_epoch(history, EarlyStoppingConfig(task="buy")) == 1
    assert should_stop(history, EarlyStoppingConfig(task="buy", patience=2))
