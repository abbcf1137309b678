"""AutoInt against its equations, the attention by loops."""

import numpy as np
from tests.models import equations
from tests.training import toy

from reclife.config.model import AutoIntConfig
from reclife.models.autoint import build
from reclife.models.layers.self_attention import FieldAttention

HEADS, UNITS = 2, 5


def test_logits_follow_the_equation():
    config = AutoIntConfig(embedding_dim=4, attention_layers=2, heads=HEADS, head_units=UNITS)
    equations.check(build(config, toy.SPEC, seed=2), _logit)


def _logit(weights: equations.Weights, row: equations.Row) -> float:
    fields = equations.field_vectors(weights, row)
    for depth in range(2):
        parameters = equations.parameters_of(weights, f"attention_{depth}")
        fields = attended_by_loops(fields, parameters)
    flat = np.concatenate(fields)
    return float(weights["dense/bias/0"]) + float(flat @ weights["dense/field_weights/0"][:, 0])


def attended_by_loops(fields: list[np.ndarray], parameters: list[np.ndarray]) -> list[np.ndarray]:
    query, key, value, residual = parameters
    combined = []
    for one in fields:
        heads = []
        for head in range(HEADS):
            part = slice(head * UNITS, (head + 1) * UNITS)
            fits = [float((one @ query[:, part]) @ (other @ key[:, part])) for other in fields]
            shares = np.exp(fits) / np.sum(np.exp(fits))
            heads.append(sum(a * (e @ value[:, part]) for a, e in zip(shares, fields, strict=True)))
        combined.append(np.maximum(np.concatenate(heads) + one @ residual, 0))
    return combined


def test_a_layer_follows_the_equation_and_the_order_of_the_fields():
    layer = FieldAttention(4, HEADS, UNITS, seed=1, name="attention")
    vectors = np.random.default_rng(0).normal(size=(3, 5, 4)).astype("float32")
    parameters = [np.asarray(w, dtype="float64") for w in layer.weights]
    expected = [attended_by_loops(list(row), parameters) for row in vectors.astype("float64")]
    # float32 sums of a dozen products
    np.testing.assert_allclose(layer(vectors), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(layer(vectors[:, ::-1])[:, ::-1], layer(vectors), atol=1e-5)
