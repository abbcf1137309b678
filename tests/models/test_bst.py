"""BST against its equations, the attention by loops over the present positions."""

import numpy as np
import pytest
import tensorflow as tf
from pydantic import ValidationError
from tests.models import equations
from tests.training import toy

from reclife.config.model import BSTConfig
from reclife.errors import ConfigError
from reclife.models.bst import build
from reclife.models.layers.transformer import TransformerBlock

DIM, HEADS = 4, 2


def test_logits_follow_the_equation():
    config = BSTConfig(embedding_dim=DIM, heads=HEADS, blocks=2, hidden_units=(16, 8))
    equations.check(build(config, toy.SPEC, seed=2), _logit)


def _logit(weights: equations.Weights, row: equations.Row) -> float:
    ids = np.append(row["history"], row["item"])
    present = [p for p, i in enumerate(ids) if i != 0]
    positions, *blocks = equations.parameters_of(weights, "encoder_history")
    encoded = [weights["table/items"][ids[p]] + positions[p] for p in present]
    for block in (blocks[: len(blocks) // 2], blocks[len(blocks) // 2 :]):
        encoded = block_by_loops(encoded, block)
    whole = np.zeros((len(ids), DIM))
    whole[present] = encoded
    others = [equations.pooled(weights, row, feature) for feature in ("item", "genres")]
    flat = np.concatenate([*others, whole.reshape(-1), equations.numbers(weights, row)])
    return equations.perceptron(equations.parameters_of(weights, "perceptron"), flat)


def block_by_loops(rows: list[np.ndarray], parameters: list[np.ndarray]) -> list[np.ndarray]:
    query, key, value, joint, w_1, b_1, w_2, b_2, gain_1, shift_1, gain_2, shift_2 = parameters
    unit, encoded = DIM // HEADS, []
    for one in rows:
        heads = []
        for head in range(HEADS):
            part = slice(head * unit, (head + 1) * unit)
            fits = [(one @ query[:, part]) @ (other @ key[:, part]) for other in rows]
            shares = np.exp(np.array(fits) / np.sqrt(unit))
            shares /= shares.sum()
            heads.append(sum(s * (r @ value[:, part]) for s, r in zip(shares, rows, strict=True)))
        middle = _normalized(one + np.concatenate(heads) @ joint, gain_1, shift_1)
        inner = middle @ w_1 + b_1
        moved = np.where(inner > 0, inner, 0.2 * inner) @ w_2 + b_2
        encoded.append(_normalized(middle + moved, gain_2, shift_2))
    return encoded


def _normalized(x: np.ndarray, gain: np.ndarray, shift: np.ndarray) -> np.ndarray:
    return (x - x.mean()) / np.sqrt(x.var() + 1e-6) * gain + shift


def test_a_block_follows_the_equation_and_sees_present_positions_only():
    block = TransformerBlock(DIM, HEADS, dropout=0.5, seed=1, name="block")
    rows = np.random.default_rng(0).normal(size=(1, 5, DIM)).astype("float32")
    present = np.array([[0, 0, 1, 1, 1]], "float32")
    parameters = [np.asarray(w, dtype="float64") for w in block.weights]
    expected = block_by_loops(list(rows[0, 2:].astype("float64")), parameters)
    # float32 sums of some dozen products, normalised to about 1
    actual = block(rows, tf.constant(present))
    np.testing.assert_allclose(actual[0, 2:], expected, rtol=1e-4, atol=1e-5)


def test_what_it_cannot_be_built_from_is_refused():
    with pytest.raises(ConfigError, match="Model bst needs a sequence and a category"):
        build(BSTConfig(exclude_features=("item",)), toy.SPEC, seed=1)
    with pytest.raises(ValidationError, match="3 heads do not divide embedding_dim 8"):
        BSTConfig(heads=3)
