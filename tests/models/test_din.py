"""DIN against its equation, the attention by a loop over the history."""

import numpy as np
import pytest
from tests.models import equations
from tests.training import toy

from reclife.config.model import DINConfig
from reclife.config.towers import Tower
from reclife.errors import ConfigError
from reclife.models.din import build
from reclife.models.layers.target_attention import TargetAttention

CONFIG = DINConfig(embedding_dim=3, hidden_units=(16, 8), attention_units=(8, 6))


def test_logits_follow_the_equation():
    equations.check(build(CONFIG, toy.SPEC, seed=2), _logit)


def _logit(weights: equations.Weights, row: equations.Row) -> float:
    target = equations.pooled(weights, row, "item")
    unit = equations.parameters_of(weights, "attention_history")
    present = [weights["table/items"][i] for i in row["history"] if i != 0]
    interest = interest_by_loop(present, target, unit)
    parts = [target, equations.pooled(weights, row, "genres"), interest]
    flat = np.concatenate([*parts, equations.numbers(weights, row)])
    return equations.perceptron(equations.parameters_of(weights, "perceptron"), flat)


def interest_by_loop(
    history: list[np.ndarray], target: np.ndarray, unit: list[np.ndarray]
) -> np.ndarray:
    total = np.zeros_like(target)
    for past in history:
        pair = np.concatenate([past, target, past - target, past * target])
        total += equations.perceptron(unit, pair) * past
    return total


def test_attention_leaves_absent_positions_out():
    layer = TargetAttention(3, Tower(hidden_units=(4,), dropout=0.0), seed=1, name="attention")
    rng = np.random.default_rng(0)
    history = rng.normal(size=(2, 5, 3)).astype("float32")
    target = rng.normal(size=(2, 3)).astype("float32")
    present = np.array([[0, 0, 1, 1, 1], [0, 0, 0, 0, 0]], "float32")
    unit = [np.asarray(w, dtype="float64") for w in layer.weights]
    expected = [
        interest_by_loop(list(history[i][present[i] == 1]), target[i], unit) for i in (0, 1)
    ]
    # float32 sums of a dozen products
    np.testing.assert_allclose(layer(history, present, target), expected, rtol=1e-4, atol=1e-6)
    assert not np.any(expected[1])


def test_the_order_of_the_history_does_not_matter_but_the_item_does():
    layer = TargetAttention(3, Tower(hidden_units=(4,), dropout=0.0), seed=1, name="attention")
    rng = np.random.default_rng(0)
    history, target = rng.normal(size=(1, 5, 3)), rng.normal(size=(1, 3))
    whole = np.ones((1, 5), "float32")
    once = layer(history.astype("float32"), whole, target.astype("float32"))
    again = layer(history[:, ::-1].astype("float32"), whole, target.astype("float32"))
    np.testing.assert_allclose(once, again, rtol=1e-5, atol=1e-6)
    other = layer(history.astype("float32"), whole, -target.astype("float32"))
    assert np.abs(once - other).max() > 1e-3


def test_without_a_history_on_the_table_of_the_item_it_is_refused():
    with pytest.raises(
        ConfigError, match=r"Model din needs a sequence .*\(item, genres, mean, mood"
    ):
        build(DINConfig(exclude_features=("history",)), toy.SPEC, seed=1)
