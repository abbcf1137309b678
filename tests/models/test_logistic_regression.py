"""Logistic regression against its equation."""

import numpy as np
from tests.models.zoo import inputs_of, scrambled
from tests.training import toy

from reclife.config.model import LogisticRegressionConfig
from reclife.models.logistic_regression import build


def test_logits_follow_the_equation():
    spec = toy.spec_of("item", "mean")
    model = scrambled(build(LogisticRegressionConfig(), spec, seed=2))
    inputs = inputs_of(model, 20)
    w = {name: variable.numpy() for name, variable in model.weights().items()}
    gamma, beta, mean, variance = (w[f"dense/normalization/{i}"][0] for i in range(4))
    x = (inputs["mean"].numpy() - mean) / np.sqrt(variance + 1e-3) * gamma + beta
    expected = (
        w["dense/bias/0"]
        + w["table/items"][inputs["item"].numpy(), 0]
        + w["dense/numeric_weights/0"][0, 0] * x
    )
    np.testing.assert_allclose(model(inputs)[:, 0], expected, rtol=1e-5)
