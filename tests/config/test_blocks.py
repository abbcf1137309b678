"""A declared graph is held against the declared features before anything runs."""

from pathlib import Path

import pytest
import yaml

from reclife.config.root import check_parameters
from reclife.errors import ConfigError

MODEL = """
kind: blocks
blocks:
  past: {kind: sequence, feature: histroy}
  mean: {kind: pool, input: past}
  rows: {kind: fields, features: [item, yaer]}
  flat: {kind: flatten, input: rows}
  all: {kind: concat, inputs: [flat, maen]}
  logit: {kind: linear, input: all}
outputs: {like: logit}
"""


def told(project: Path, model: str) -> str:
    declared = {}
    for file in sorted((project / "conf" / "base" / "parameters").glob("*.yml")):
        declared |= yaml.safe_load(file.read_text(encoding="utf-8"))
    declared["training"]["model"] = yaml.safe_load(model)
    with pytest.raises(ConfigError) as refused:
        check_parameters(declared, project / "conf", None)
    return str(refused.value)


def test_names_that_nothing_has_are_told_with_their_file_and_the_nearest(project: Path) -> None:
    message = told(project, MODEL)
    for expected in (
        "model.blocks.past: no feature is called 'histroy'; did you mean 'history'?",
        "model.blocks.rows: no feature is called 'yaer'; did you mean 'year'?",
        "block 'all' reads 'maen'; did you mean 'mean'?",
        "block 'mean' is read by none and no output",
    ):
        assert expected in message
    assert "conf/base/parameters/training.yml" in message


def test_a_kind_of_block_that_is_not_there_is_told_with_those_that_are(project: Path) -> None:
    message = told(project, MODEL.replace("kind: pool", "kind: poll"))
    assert "'poll'" in message
    assert "sum, target_attention." in message
    assert "did you mean 'pool'?" in message
