"""The declaration of the training stage is closed and told apart by kind."""

import pytest
import yaml
from pydantic import ValidationError

from reclife.config.model import DeepFMConfig, LogisticRegressionConfig, ModelConfig
from reclife.config.optimizers import AdagradConfig, LazyAdamConfig
from reclife.config.training import TrainingConfig


def test_the_base_declaration_is_valid(project):
    text = (project / "conf/base/parameters/training.yml").read_text(encoding="utf-8")
    config = TrainingConfig.model_validate(yaml.safe_load(text)["training"])
    assert isinstance(config.model.root, DeepFMConfig)


def test_kinds_choose_the_class():
    linear = ModelConfig.model_validate({"kind": "logistic_regression"})
    assert isinstance(linear.root, LogisticRegressionConfig)
    for kind, expected in (("adagrad", AdagradConfig), ("lazy_adam", LazyAdamConfig)):
        config = TrainingConfig.model_validate({"sparse_optimizer": {"kind": kind}})
        assert isinstance(config.sparse_optimizer, expected)


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": {"kind": "deepfn"}},
        {"model": {"embedding_dim": 8}},
        {"model": {"kind": "logistic_regression", "dropout": 0.1}},
        {"model": {"kind": "deepfm", "dropout": 1.0}},
        {"model": {"kind": "deepfm", "hidden_units": []}},
        {"epoch": 3},
        {"batch_size": 0},
        {"early_stopping": {"metric": "accuracy"}},
        {"dense_optimizer": {"kind": "ftrl"}},
        {"sparse_optimizer": {"kind": "adagrad", "momentum": 0.9}},
        {"sparse_optimizer": {"kind": "adagrad", "schedule": {"kind": "linear"}}},
        {"objective": {"loss": {"kind": "hinge"}}},
        {"clipping": {"kind": "value"}},
        {"dense_optimizer": {"kind": "adam", "learning_rate": 0}},
    ],
    ids=str,
)
def test_a_mistake_is_refused(wrong):
    with pytest.raises(ValidationError):
        TrainingConfig.model_validate(wrong)
