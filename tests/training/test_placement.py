"""A model whose experts lie on two devices, trained in a process of its own."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError
from tests.training import toy

from reclife.config.placement import PlacementConfig
from reclife.config.training import TrainingConfig
from reclife.errors import ConfigError
from reclife.models.saved import read_weights
from reclife.training.placement import places
from reclife.training.run import run

PLACED = {
    "devices": 2,
    "placed": [
        {"parts": ["dense/expert_1", "dense/tower_*"], "device": 1},
        {"parts": ["table/genres"], "device": 1},
    ],
}


def config(**changes: object) -> TrainingConfig:
    model = {"kind": "mmoe", "experts": 2, "expert": {"hidden_units": [16]}}
    return toy.config(model=model, refit=False, **changes)


def test_the_first_rule_that_fits_decides_and_the_rest_is_on_device_0():
    names = ["table/items", "table/genres", "dense/expert_0", "dense/expert_1"]
    rules = [{"parts": ["dense/expert_1"], "device": 1}, {"parts": ["dense/*"], "device": 2}]
    found = places(PlacementConfig.model_validate({"devices": 3, "placed": rules}), names)
    assert list(found.values()) == [0, 0, 2, 1]
    with pytest.raises(ConfigError, match=r"placement names 'dense/expert_7', .* did you mean"):
        places(
            PlacementConfig.model_validate(
                {"devices": 2, "placed": [{"parts": ["dense/expert_7"], "device": 1}]}
            ),
            names,
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"placement": PLACED | {"devices": 1}}, "greater than or equal to 2"),
        (
            {"placement": {"devices": 2, "placed": [{"parts": ["*"], "device": 2}]}},
            "device 2 is not among the 2 devices 0 to 1",
        ),
        ({"placement": PLACED, "xla": True}, "placement needs topology: {kind: local} and xla"),
    ],
)
def test_places_that_cannot_be_are_refused(changes, message):
    with pytest.raises(ValidationError, match=message):
        config(**changes)


@pytest.mark.slow
def test_experts_on_two_devices_learn_what_they_learn_on_one(tmp_path: Path):
    data = toy.table(300, seed=1), toy.table(60, seed=2)
    for name, declared in (("one", config()), ("two", config(placement=PLACED))):
        outcome = run(declared, toy.SPEC, *data, run_id="r", **toy.folders(tmp_path / name))
        (tmp_path / name / "model").mkdir()
        outcome.write(tmp_path / name / "model")
    one, two = (read_weights(tmp_path / name / "model")[0] for name in ("one", "two"))
    assert one.keys() == two.keys()
    for name, array in one.items():
        np.testing.assert_allclose(two[name], array, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.slow
def test_every_part_and_its_optimiser_is_where_it_was_declared(project: Path):
    script = textwrap.dedent(
        """
        import json
        from tests.training.test_placement import PLACED, config
        from tests.training import toy
        from reclife.training.replicas import Alone
        from reclife.training.synchronous import synchronous
        trainer = synchronous(Alone())(config(placement=PLACED), toy.SPEC, 1)
        held = {**trainer.model.weights(), **trainer._optimizers.sparse.state()}
        held |= {v.path: v.value for v in trainer._optimizers.dense.variables}
        print(json.dumps({name: v.device[-1] for name, v in held.items()}))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(project)},
        capture_output=True,
        check=True,
        timeout=900,
    )
    device = json.loads(done.stdout.splitlines()[-1])
    there = [n for n in device if "expert_1" in n or "tower" in n or "genres" in n or "CPU_1" in n]
    assert len(there) > 10  # weights and two moments each
    assert {name: int(name in there) for name in device} == {n: int(d) for n, d in device.items()}
