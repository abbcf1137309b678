"""The declarations on the page on staged training train a toy."""

import re
from pathlib import Path

import pytest
import yaml
from tests.training import toy

from reclife.models.saved import read_weights
from reclife.training.run import run

PAGE = Path(__file__).parents[2] / "docs" / "staged-training.md"
BLOCKS = [
    block["training"]
    for block in map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL))
    if "training" in block
]
SHORT = {
    "epochs": 1,
    "batch_size": 5,  # steps enough for the page's warm-up
    "early_stopping": None,
    "refit": False,
    "probe": {"force": True},
}
SPEC = toy.SPEC.model_copy(update={"time": "user_id"})  # the toy has no times: any number will do


@pytest.mark.slow
@pytest.mark.parametrize("declared", BLOCKS, ids="+".join)
def test_what_the_page_declares_is_trained(declared, tmp_path):
    config = toy.config(**declared | SHORT)
    data = toy.table(200, seed=1), toy.table(60, seed=2)
    outcome = run(config, SPEC, *data, run_id="r", **toy.folders(tmp_path))
    outcome.write(tmp_path / "model")
    assert outcome.report.steps
    assert len(outcome.report.stages) == len(config.stages)
    assert "table/items" in read_weights(tmp_path / "model")[0]
