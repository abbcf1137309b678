"""A model of the user's own: found without an import, built with checked options."""

import pytest
from pydantic import ValidationError
from tests.models import zoo

from reclife.config.model import ModelConfig
from reclife.errors import ConfigError
from reclife.models import build


def custom(path: str, **options: object) -> ModelConfig:
    return ModelConfig.model_validate({"kind": "custom", "path": path, "options": options})


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("tests.models.own:biuld", "has no biuld; did you mean 'build'"),
        ("tests.models.owm:build", "there is no module tests.models.owm"),
        ("no_such_package.own:build", "no_such_package.own cannot be imported"),
        ("tests.models.own", "String should match pattern"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused_with_the_declaration(path, message):
    with pytest.raises(ValidationError, match=message):
        custom(path)


def test_options_are_checked_by_the_class_that_the_function_asks_for():
    model = build(custom("tests.models.own:build", units=3), zoo.SPEC, seed=1)
    assert model.layers["left"].weights[0].shape[1] == 3
    with pytest.raises(ConfigError, match=r"own:build are wrong: unit: Extra inputs"):
        build(custom("tests.models.own:build", unit=3), zoo.SPEC, seed=1)


def test_what_is_no_model_is_refused():
    with pytest.raises(ConfigError, match="returned a str, not a RankingModel"):
        build(custom("tests.models.own:build_text"), zoo.SPEC, seed=1)
    with pytest.raises(ConfigError, match=r"own:build_alone cannot be called with \(options, spec"):
        build(custom("tests.models.own:build_alone"), zoo.SPEC, seed=1)
    with pytest.raises(ConfigError, match="own:NUMBER is a int, not a function"):
        build(custom("tests.models.own:NUMBER"), zoo.SPEC, seed=1)


def test_a_model_that_no_training_can_take_is_refused():
    with pytest.raises(ConfigError, match=r"scores \[B, 4\], not the logits \[B, 1\] of its tasks"):
        build(custom("tests.models.own:build_wide"), zoo.SPEC, seed=1)
    with pytest.raises(ConfigError, match="of tasks that the specification lacks: share"):
        build(custom("tests.models.own:build_strange"), zoo.SPEC, seed=1)
