"""xDeepFM against its equation, the compressed interaction network by loops."""

import numpy as np
from tests.models import equations
from tests.training import toy

from reclife.config.model import XDeepFMConfig
from reclife.models.layers.compressed_interaction import CompressedInteraction
from reclife.models.xdeepfm import build


def test_logits_follow_the_equation():
    config = XDeepFMConfig(embedding_dim=4, hidden_units=(16, 8), interaction_maps=(3, 2))
    equations.check(build(config, toy.SPEC, seed=2), _logit)


def _logit(weights: equations.Weights, row: equations.Row) -> float:
    fields = equations.field_vectors(weights, row)
    vectors = [field[1:] for field in fields]
    sums = interaction_by_loops(vectors, equations.parameters_of(weights, "interaction"))
    explicit = float(sums @ weights["dense/map_weights/0"][:, 0])
    tower = equations.parameters_of(weights, "perceptron")
    implicit = equations.perceptron(tower, np.concatenate(vectors))
    return float(weights["dense/bias/0"]) + sum(f[0] for f in fields) + explicit + implicit


def interaction_by_loops(fields: list[np.ndarray], kernels: list[np.ndarray]) -> np.ndarray:
    """Each kernel is `[H_before * M, H]`, the pair (i, j) in row i * M + j."""
    current, sums = fields, []
    for kernel in kernels:
        following = []
        for h in range(kernel.shape[1]):
            total = np.zeros(len(fields[0]))
            for i, before in enumerate(current):
                for j, field in enumerate(fields):
                    total += kernel[i * len(fields) + j, h] * before * field
            following.append(total)
        sums += [total.sum() for total in following]
        current = following
    return np.array(sums)


def test_the_network_sums_the_products_of_all_pairs():
    network = CompressedInteraction(4, (3, 2), seed=1, name="interaction")
    vectors = np.random.default_rng(0).normal(size=(5, 4, 6)).astype("float32")
    kernels = [np.asarray(w, dtype="float64") for w in network.weights]
    assert [k.shape for k in kernels] == [(16, 3), (12, 2)]
    expected = [interaction_by_loops(list(row), kernels) for row in vectors.astype("float64")]
    # float32 sums of some hundred products
    np.testing.assert_allclose(network(vectors), expected, rtol=1e-4, atol=1e-4)
