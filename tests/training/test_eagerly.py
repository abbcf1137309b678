"""`run_eagerly`: the same training, as Python that a debugger can stop in."""

from collections.abc import Mapping
from typing import Any, final

import numpy as np
import pytest
import tensorflow as tf
from pydantic import ValidationError
from tests.training import toy

from reclife.contracts import FeatureSpec
from reclife.models.features import used_features
from reclife.models.layers.dense import linear
from reclife.models.ranking import Penalties, RankingModel
from reclife.training.train import train

HERE = "tests.training.test_eagerly:build"
SEEN: list[bool] = []
"""Of each call of the model in training: whether it computed at once."""


@final
class Watched(RankingModel):
    def score(self, rows: Mapping[str, Any], inputs: Mapping[str, Any], training: bool) -> Any:
        if training:
            SEEN.append(tf.executing_eagerly())
        return self.layers["weight"](self.numbers(inputs), training=training)


def build(options: Mapping[str, object], spec: FeatureSpec, seed: int) -> Watched:
    features = used_features(spec, [f.name for f in spec.features if f.name != "mean"])
    layers = {"weight": linear(1, 1, seed, "weight")}
    return Watched(features, spec.tasks, {}, layers, Penalties(0.0, 0.0))


def trained(tmp_path, run_eagerly: bool) -> np.ndarray:
    SEEN.clear()
    config = toy.config(
        model={"kind": "custom", "path": HERE}, run_eagerly=run_eagerly, epochs=1, refit=False
    )
    folders = toy.folders(tmp_path / str(run_eagerly))
    tables = toy.table(192, seed=1), toy.table(64, seed=2)
    model = train(config, toy.SPEC, *tables, run_id="run", **folders).model
    return model.weights()["dense/weight/0"].numpy()


def test_every_step_computes_at_once_and_moves_the_weights_as_a_compiled_one(tmp_path):
    compiled = trained(tmp_path, run_eagerly=False)
    assert not any(SEEN)
    eager = trained(tmp_path, run_eagerly=True)
    assert sum(SEEN) == len(SEEN) == 3
    assert not tf.config.functions_run_eagerly()
    np.testing.assert_allclose(eager, compiled, rtol=1e-5)


def test_it_goes_with_neither_xla_nor_several_processes():
    with pytest.raises(ValidationError, match=r"run_eagerly .* xla: false"):
        toy.config(run_eagerly=True, xla=True)
