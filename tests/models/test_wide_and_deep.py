"""Wide & Deep against its equation."""

import numpy as np
from tests.models import equations
from tests.training import toy

from reclife.config.model import WideAndDeepConfig
from reclife.models.wide_and_deep import build


def test_logits_follow_the_equation():
    config = WideAndDeepConfig(embedding_dim=4, hidden_units=(16, 8))
    equations.check(build(config, toy.SPEC, seed=2), _logit)


def _logit(weights: equations.Weights, row: equations.Row) -> float:
    rows = [equations.pooled(weights, row, feature) for feature in equations.TABLES]
    x = equations.numbers(weights, row)
    wide = sum(r[0] for r in rows) + float((x @ weights["dense/numeric_weights/0"])[0])
    flat = np.concatenate([*(r[1:] for r in rows), x])
    deep = equations.perceptron(equations.parameters_of(weights, "perceptron"), flat)
    return float(weights["dense/bias/0"]) + wide + deep
