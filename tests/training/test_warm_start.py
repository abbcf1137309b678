"""Training that goes on from yesterday's model: rows keep, tables grow, old rows are forgotten."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.training import toy

from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec
from reclife.errors import ConfigError
from reclife.models.saved import read_weights
from reclife.training.replicas import Alone
from reclife.training.run import run
from reclife.training.synchronous import synchronous
from reclife.training.warm_start import Start, begin, from_earlier

Array = np.ndarray[Any, Any]

TOMORROW = toy.SPEC.model_copy(
    update={
        "tables": tuple(
            table.model_copy(update={"size": table.size + (5 if table.name == "items" else 0)})
            for table in toy.SPEC.tables
        )
    }
)
"""Five new items behind those of the toy."""


def declared(**changes: object) -> TrainingConfig:
    base = {"model": {"kind": "deepfm", "hidden_units": [8]}, "epochs": 1, "refit": False}
    return toy.config(**(base | {"warm_start": {}} | changes))


@pytest.fixture(scope="module")
def yesterday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model trained on the first day, in its folder."""
    root = tmp_path_factory.mktemp("yesterday")
    data = toy.table(200, seed=1), toy.table(60, seed=2)
    outcome = run(declared(), toy.SPEC, *data, run_id="monday", **toy.folders(root))
    (root / "model").mkdir()
    outcome.write(root / "model")
    return root / "model"


def begun(start: Start, spec: FeatureSpec, config: TrainingConfig) -> dict[str, Array]:
    trainer = synchronous(Alone())(config, spec, 9)
    begin(trainer, start)
    return trainer.state()


def test_warm_rows_are_bit_equal_and_new_ones_are_as_drawn(yesterday):
    before, _ = read_weights(yesterday)
    state = begun(from_earlier(yesterday, TOMORROW, declared()), TOMORROW, declared())
    fresh = synchronous(Alone())(declared(), TOMORROW, 9).state()
    rows = state["table/items"]
    np.testing.assert_array_equal(rows[: toy.ITEMS], before["table/items"])
    np.testing.assert_array_equal(rows[toy.ITEMS :], fresh["table/items"][toy.ITEMS :])
    assert np.abs(rows[toy.ITEMS :]).min(axis=1).max() > 0
    for name in ("table/genres", "dense/perceptron/0", "dense/normalization/2"):
        np.testing.assert_array_equal(state[name], before[name], err_msg=name)


def test_the_optimisers_go_on_too_unless_declared_otherwise(yesterday):
    state = begun(from_earlier(yesterday, TOMORROW, declared()), TOMORROW, declared())
    slots = np.split(state["sparse/dim_9/accumulator"], [toy.ITEMS, toy.ITEMS + 5])
    start = declared().sparse_optimizer.initial_accumulator
    assert (slots[0] > start).any()
    assert (slots[1] == np.float32(start)).all()
    assert (slots[2] > start).any()  # the genres, behind the items
    assert state["dense_optimizer/0"] == 4  # steps so far
    config = declared(warm_start={"optimizer": False})
    state = begun(from_earlier(yesterday, TOMORROW, config), TOMORROW, config)
    assert (state["sparse/dim_9/accumulator"] == np.float32(start)).all()


def test_a_second_day_is_learnt_on_top_of_the_first(yesterday, tmp_path):
    start = from_earlier(yesterday, TOMORROW, declared())
    data = toy.table(200, seed=3), toy.table(60, seed=4)
    given = (declared(), TOMORROW, *data)
    warm = run(*given, run_id="tuesday", **toy.folders(tmp_path / "w"), start=start).report
    cold = run(*given, run_id="tuesday", **toy.folders(tmp_path / "c")).report
    assert warm.epochs[0].loss < cold.epochs[0].loss


def test_other_layers_and_features_are_refused_unless_they_start_anew(yesterday):
    wider = {"kind": "deepfm", "hidden_units": [16]}
    config = declared(model=wider)
    with pytest.raises(ConfigError, match=r"dense/perceptron/0 was \[\d+, 8\] and is \[\d+, 16\]"):
        begun(from_earlier(yesterday, TOMORROW, config), TOMORROW, config)
    fewer = declared(model=wider | {"exclude_features": ["mood"]})
    with pytest.raises(ConfigError, match="reads the features item, genres, history, mean, mood"):
        from_earlier(yesterday, TOMORROW, fewer)
    anew = fewer.model_copy(
        update={"warm_start": declared(warm_start={"fresh": ["dense/*"]}).warm_start}
    )
    state = begun(from_earlier(yesterday, TOMORROW, anew), TOMORROW, anew)
    before, _ = read_weights(yesterday)
    np.testing.assert_array_equal(state["table/items"][: toy.ITEMS], before["table/items"])


def test_a_start_survives_its_file(tmp_path):
    start = Start({"table/a": np.ones((2, 3)), "dense/b/0": np.float32(2.0)}, ("dense/c",))
    start.save(tmp_path / "start.npz")
    assert Start.load(tmp_path / "start.npz").identity == start.identity


def test_rows_that_no_batch_touched_for_long_are_forgotten():
    config = declared(eviction={"after_steps": 2}, model={"kind": "fm"}, warm_start=None)
    spec = toy.spec_of("item")
    trainer = synchronous(Alone())(config, spec, 1)
    first, later = ([2, 3], [3, 4])
    from reclife.training.trainer import Rates

    for step, items in enumerate([first, later, later, later], start=1):
        table = toy.table(2, seed=1).set_column(3, "item", [items])
        examples = toy.examples(table, trainer.model, spec)
        trainer.step(trainer.prepare(examples, np.arange(2)), Rates(0.1, 0.1, step))
        assert trainer.forget(step) == (step == 4)  # item 2, moved in step 1, waited for 3 steps
    state = trainer.state()
    rows = state["table/items"]
    assert not rows[2].any()
    assert rows[3].any()
    assert rows[5].any()  # never touched: there is nothing to forget
    start = config.sparse_optimizer.initial_accumulator
    name = next(name for name in state if name.endswith("/accumulator"))
    np.testing.assert_array_equal(state[name][2], np.full_like(state[name][2], start))
    assert trainer.forget(4) == 0


DAY = """
import sys
from pathlib import Path
import pyarrow.compute as pc
from tests.training import toy
from tests.training.test_warm_start import TOMORROW, declared
from reclife.training.run import run
from reclife.training.warm_start import from_earlier

day, root = sys.argv[1], Path(sys.argv[2])
config = declared(model={"kind": "deepfm", "hidden_units": [8], "exclude_features": ["history"]})
spec, table, start = toy.SPEC, toy.table(300, seed=1), None
if day == "tuesday":
    spec, start = TOMORROW, from_earlier(root / "monday", TOMORROW, config)
    table = table.filter(pc.greater_equal(table["item"], 20))
outcome = run(config, spec, table, toy.table(60, 2), run_id=day, start=start,
              **toy.folders(root / f"work-{day}"))
outcome.write(root / day)
"""


@pytest.mark.slow
def test_two_days_in_two_processes(tmp_path, project):
    """What the second day has no example of is, bit for bit, as the first one left it."""
    for day in ("monday", "tuesday"):
        subprocess.run(
            [sys.executable, "-c", DAY, day, str(tmp_path)],
            cwd=project,
            env=os.environ | {"PYTHONPATH": str(project)},
            check=True,
            timeout=900,
        )
    before, after = (
        read_weights(tmp_path / day)[0]["table/items"] for day in ("monday", "tuesday")
    )
    assert len(after) == len(before) + 5
    np.testing.assert_array_equal(after[:20], before[:20])
    assert not np.array_equal(after[20 : len(before)], before[20:])
    assert np.abs(after[len(before) :]).max(axis=1).min() > 0
