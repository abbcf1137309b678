"""The optimisers of the dense part by their formulas: two steps on two numbers."""

import keras
import numpy as np
import pytest
from pydantic import TypeAdapter

from reclife.config.optimizers import DenseOptimizerConfig
from reclife.training import dense

START = np.array([1.0, -2.0])
GRADIENTS = [np.array([0.5, -1.0]), np.array([0.1, 2.0])]
RATE = 0.1


def moved(declared: dict[str, object]) -> np.ndarray:
    config: DenseOptimizerConfig = TypeAdapter(DenseOptimizerConfig).validate_python(
        {"learning_rate": RATE, **declared}
    )
    optimizer = dense.build(config)
    variable = keras.Variable(START.astype("float32"))
    optimizer.build([variable])
    for gradient in GRADIENTS:
        optimizer.apply([gradient.astype("float32")], [variable])
    return variable.numpy()


def adam(decay: float = 0.0) -> np.ndarray:
    """Kingma and Ba 2015, algorithm 1; decay apart, Loshchilov and Hutter 2019, algorithm 2."""
    x, m, v = START.copy(), np.zeros(2), np.zeros(2)
    for t, g in enumerate(GRADIENTS, start=1):
        m, v = 0.8 * m + 0.2 * g, 0.95 * v + 0.05 * g**2
        step = (m / (1 - 0.8**t)) / (np.sqrt(v / (1 - 0.95**t)) + 1e-7)
        x = x - RATE * decay * x - RATE * step
    return x


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ({"kind": "adam", "beta_1": 0.8, "beta_2": 0.95}, adam()),
        ({"kind": "adamw", "beta_1": 0.8, "beta_2": 0.95, "weight_decay": 0.3}, adam(0.3)),
        (
            {"kind": "adagrad", "initial_accumulator": 0.2},
            START
            - RATE * GRADIENTS[0] / np.sqrt(0.2 + GRADIENTS[0] ** 2)
            - RATE * GRADIENTS[1] / np.sqrt(0.2 + GRADIENTS[0] ** 2 + GRADIENTS[1] ** 2),
        ),
        # velocity g1, then 0.9 g1 + g2
        ({"kind": "sgd", "momentum": 0.9}, START - RATE * (1.9 * GRADIENTS[0] + GRADIENTS[1])),
        ({"kind": "sgd"}, START - RATE * (GRADIENTS[0] + GRADIENTS[1])),
    ],
    ids=["adam", "adamw", "adagrad", "momentum", "sgd"],
)
def test_two_steps_follow_the_formula(declared, expected):
    np.testing.assert_allclose(moved(declared), expected, rtol=1e-5)
