"""The simulated cluster against the bounds that queues obey."""

from dataclasses import replace

import pytest

from tests.benchmarks.simulation import Costs, Machines, Measured, simulate

COSTS = Costs(0.05, 0.001, 1e-7, 0.001, 0.0, 1e6, 100.0)
ROWS = 10_000


def rate(costs: Costs = COSTS, **machines: int) -> float:
    return simulate(costs, Machines(**machines), ROWS).steps_per_second


def test_few_workers_are_limited_by_themselves():
    found = simulate(COSTS, Machines(4, 8), ROWS)
    assert found.limit == "workers"
    assert 0.9 * 4 / 0.055 < found.steps_per_second < 1.05 * 4 / 0.05


def test_no_part_is_busier_than_always_and_the_limit_is_reached():
    found = simulate(COSTS, Machines(200, 64), ROWS)
    assert found.limit == "chief"
    assert found.busy["chief"] == pytest.approx(1.0, abs=0.02)
    assert found.steps_per_second == pytest.approx(1 / COSTS.chief_seconds, rel=0.02)


def test_the_knob_of_the_limit_moves_it_and_others_do_not():
    slow = replace(COSTS, bytes_row=10_000.0, chief_seconds=1e-5)
    few = rate(slow, workers=200, servers=4)
    assert rate(slow, workers=200, servers=8) == pytest.approx(2 * few, rel=0.05)
    assert rate(slow, workers=400, servers=4) == pytest.approx(few, rel=0.05)


def test_larger_units_relieve_the_chief():
    few = simulate(COSTS, Machines(200, 64), ROWS)
    many = simulate(COSTS, Machines(200, 64, batches_per_unit=8), ROWS)
    assert many.steps_per_second > 3 * few.steps_per_second
    assert many.limit == "workers"


def test_costs_are_those_that_explain_both_measurements():
    small = Measured(0.01, 0.002, 0.001, 2e6, 10_000)
    large = Measured(0.04, 0.005, 0.001, 5e6, 40_000)
    joined = Measured(0.04, 0.005, 0.0003, 5e6, 40_000, batches_per_unit=8)
    costs = Costs.fitted(small, large, joined)
    for found in (small, large):
        rows = found.unique_rows
        assert costs.bytes_dense + costs.bytes_row * rows == pytest.approx(found.bytes)
        server = costs.server_seconds + costs.server_row_seconds * rows
        assert server == pytest.approx(found.server_seconds)
    for found in (large, joined):
        chief = costs.chief_seconds / found.batches_per_unit + costs.chief_step_seconds
        assert chief == pytest.approx(found.chief_seconds)
