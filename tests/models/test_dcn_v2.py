"""DCN V2 against its equations, the cross network by matrices."""

import numpy as np
import pytest
from tests.models import equations
from tests.training import toy

from reclife.config.model import DCNv2Config
from reclife.models.dcn_v2 import build
from reclife.models.layers.cross import CrossNetwork

DEPTH = 3


@pytest.mark.parametrize("structure", ["parallel", "stacked"])
@pytest.mark.parametrize("rank", [None, 2], ids=["full rank", "low rank"])
def test_logits_follow_the_equation(structure, rank):
    config = DCNv2Config(
        embedding_dim=3,
        hidden_units=(24, 12),
        cross_layers=DEPTH,
        cross_rank=rank,
        structure=structure,
    )

    def logit(weights: equations.Weights, row: equations.Row) -> float:
        rows = [equations.pooled(weights, row, feature) for feature in equations.TABLES]
        start = np.concatenate([*rows, equations.numbers(weights, row)])
        crossed = crossed_by_matrices(start, equations.parameters_of(weights, "cross"))
        deep = equations.parameters_of(weights, "perceptron")
        if structure == "stacked":
            return equations.perceptron(deep, crossed)
        both = float(crossed @ weights["dense/cross_weights/0"][:, 0])
        return both + equations.perceptron(deep, start)

    equations.check(build(config, toy.SPEC, seed=2), logit)


@pytest.mark.parametrize(("rank", "shapes"), [(None, [(5, 5), (5,)]), (2, [(5, 2), (2, 5), (5,)])])
def test_a_layer_is_the_product_with_the_input(rank, shapes):
    network = CrossNetwork(5, DEPTH, rank, seed=1, name="cross")
    assert [tuple(w.shape) for w in network.weights] == shapes * DEPTH
    rng = np.random.default_rng(0)
    for weight in network.weights:
        weight.assign(rng.normal(size=weight.shape))
    start = rng.normal(size=(4, 5))
    weights = [np.asarray(w, dtype="float64") for w in network.weights]
    expected = [crossed_by_matrices(row, weights) for row in start]
    np.testing.assert_allclose(network(start.astype("float32")), expected, rtol=1e-4, atol=1e-3)


def crossed_by_matrices(start: np.ndarray, weights: list[np.ndarray]) -> np.ndarray:
    """x_{l+1} = x_0 * (W x_l + b) + x_l, W = U V^T when the rank is low; float64."""
    crossed = start
    per_layer = len(weights) // DEPTH
    for layer in range(DEPTH):
        *factors, bias = weights[layer * per_layer : (layer + 1) * per_layer]
        matrix = factors[0] if len(factors) == 1 else factors[0] @ factors[1]
        moved = [float(matrix[:, j] @ crossed) + bias[j] for j in range(len(start))]
        crossed = start * np.array(moved) + crossed
    return crossed
