"""Learning rates by their formulas, step by step; a resume asks for them anew."""

import math

import pytest
from pydantic import TypeAdapter

from reclife.config.schedules import ScheduleConfig
from reclife.contracts import EpochRow
from reclife.training.schedules import Moment, factor

ADAPTER: TypeAdapter[ScheduleConfig] = TypeAdapter(ScheduleConfig)


def factors(declared: dict[str, object], steps: range, total: int = 100) -> list[float]:
    config = ADAPTER.validate_python(declared)
    return [factor(config, Moment(step, total, ())) for step in steps]


def row(**values: float) -> EpochRow:
    return EpochRow(
        phase="fit",
        epoch=1,
        loss=0.5,
        gradient_norm=1.0,
        learning_rate=0.1,
        sparse_learning_rate=0.1,
        validation={"like": values},
        seconds=1.0,
        waiting_seconds=0.0,
    )


@pytest.mark.parametrize(
    "declared",
    [
        {"kind": "constant"},
        {"kind": "cosine"},
        {"kind": "step", "every_steps": 50},
        {"kind": "exponential", "decay_steps": 50},
        {"kind": "plateau"},
    ],
    ids=lambda declared: declared["kind"],
)
def test_the_warm_up_rises_evenly_and_ends_at_the_declared_rate(declared):
    found = factors({**declared, "warmup_steps": 4}, range(5))
    assert found == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])


def test_a_cosine_falls_from_the_warm_up_to_its_floor_at_the_last_step():
    found = factors({"kind": "cosine", "warmup_steps": 20, "floor": 0.1}, range(101))
    for step in range(20, 101):
        half = (1 + math.cos(math.pi * (step - 20) / 80)) / 2
        assert found[step] == pytest.approx(0.1 + 0.9 * half)
    assert found[60] == pytest.approx(0.55)
    assert factors({"kind": "cosine", "decay_steps": 10, "floor": 0.3}, range(50, 52)) == [0.3, 0.3]


def test_steps_and_an_exponential_meet_at_every_step():
    stepped = factors({"kind": "step", "every_steps": 10, "factor": 0.5}, range(31))
    assert stepped[9] == 1.0
    assert stepped[10] == stepped[19] == 0.5
    assert stepped[30] == 0.125
    gliding = factors({"kind": "exponential", "decay_steps": 10, "factor": 0.5}, range(31))
    assert gliding[::10] == pytest.approx(stepped[::10])
    assert gliding[5] == pytest.approx(math.sqrt(0.5))


def test_a_plateau_falls_after_patience_epochs_without_a_better_value_down_to_the_floor():
    declared = {"kind": "plateau", "metric": "logloss", "patience": 2, "factor": 0.1, "floor": 0.05}
    config = ADAPTER.validate_python(declared)
    losses = [0.6, 0.5, 0.5, 0.51, 0.4, 0.41, 0.4, 0.45, 0.5]
    rows = [row(logloss=value) for value in losses]
    found = [factor(config, Moment(0, 9, rows[:epochs])) for epochs in range(10)]
    # worse twice behind 0.5, then twice and twice again behind 0.4
    assert found == pytest.approx([1, 1, 1, 1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05])


def test_a_plateau_waits_where_higher_is_better():
    config = ADAPTER.validate_python({"kind": "plateau", "metric": "auc"})
    rising = [row(auc=value) for value in (0.6, 0.7, 0.8)]
    assert factor(config, Moment(0, 9, rising)) == 1.0
    assert factor(config, Moment(0, 9, [*rising, row(auc=0.8)])) == 0.5
