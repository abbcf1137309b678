"""Models of several tasks against their equations, row by row in float64 numpy."""

import numpy as np
import pytest
import tensorflow as tf
from tests.models import equations, zoo
from tests.models.equations import Row, Weights, parameters_of

from reclife.config.model import ModelConfig
from reclife.config.towers import Tower
from reclife.errors import ConfigError
from reclife.models import build
from reclife.models.esmm import both

TASKS = [task.name for task in zoo.SPEC.tasks]
SMALL = {"embedding_dim": 3, "tower": {"hidden_units": [8]}}
EXPERT = {"hidden_units": [24, 16]}


def check(declared: dict[str, object], logits) -> None:
    """Hold all logits of the declared model, with random weights, against `logits` of each row."""
    config = ModelConfig.model_validate(SMALL | declared)
    model = zoo.scrambled(build(config, zoo.SPEC, seed=1))
    inputs = {name: tensor.numpy() for name, tensor in zoo.inputs_of(model, 30).items()}
    weights = {name: v.numpy().astype("float64") for name, v in model.weights().items()}
    expected = [logits(weights, {k: v[row] for k, v in inputs.items()}) for row in range(30)]
    actual = model({name: tf.constant(array) for name, array in inputs.items()}).numpy()
    assert actual.shape == (30, 2)
    assert (np.ptp(expected, axis=0) > 0.1).all()
    # float32 sums of some hundred products of either sign
    np.testing.assert_allclose(actual, expected, rtol=2e-4, atol=2e-4)


def start(weights: Weights, row: Row) -> np.ndarray:
    shares = row["shares"] * (row["genres"] != 0)
    vectors = []
    for name, table in [
        ("item", "items"),
        ("genre", "genre"),
        ("genres", "genres"),
        ("history", "items"),
        ("history_genre", "genre"),
    ]:
        ids = np.atleast_1d(row[name])
        w = shares if name == "genres" else (ids != 0).astype(float)
        vectors.append(w @ weights[f"table/{table}"][ids] / (w.sum() or 1.0))
    return np.concatenate([*vectors, equations.numbers(weights, row)])


def hidden(parameters: list[np.ndarray], x: np.ndarray) -> np.ndarray:
    for kernel, bias in zip(parameters[::2], parameters[1::2], strict=True):
        x = np.maximum(x @ kernel + bias, 0)
    return x


def mixed(weights: Weights, gate: str, asked: np.ndarray, experts: list[np.ndarray]) -> np.ndarray:
    shares = np.exp(asked @ weights[f"dense/{gate}/0"])
    return sum(s * e for s, e in zip(shares / shares.sum(), experts, strict=True))


def tower(weights: Weights, task: str, x: np.ndarray) -> float:
    return equations.perceptron(parameters_of(weights, f"tower_{task}"), x)


def test_shared_bottom():
    def logits(weights: Weights, row: Row) -> list[float]:
        shared = hidden(parameters_of(weights, "bottom"), start(weights, row))
        return [tower(weights, task, shared) for task in TASKS]

    check({"kind": "shared_bottom", "bottom": EXPERT}, logits)


def test_mmoe():
    def logits(weights: Weights, row: Row) -> list[float]:
        x = start(weights, row)
        experts = [hidden(parameters_of(weights, f"expert_{e}"), x) for e in range(3)]
        return [tower(weights, t, mixed(weights, f"gate_{t}", x, experts)) for t in TASKS]

    check({"kind": "mmoe", "experts": 3, "expert": EXPERT}, logits)


def test_ple():
    def logits(weights: Weights, row: Row) -> list[float]:
        x = start(weights, row)
        found = {"task_like": x, "task_buy": x, "shared": x}
        for level in (0, 1):
            counts = {"task_like": 2, "task_buy": 2, "shared": 1}
            experts = {
                owner: [
                    hidden(parameters_of(weights, f"expert_{level}_{owner}_{i}"), found[owner])
                    for i in range(count)
                ]
                for owner, count in counts.items()
            }
            seen = {t: experts[t] + experts["shared"] for t in ("task_like", "task_buy")}
            if level == 0:
                seen["shared"] = [e for some in experts.values() for e in some]
            found = {
                owner: mixed(weights, f"gate_{level}_{owner}", found[owner], some)
                for owner, some in seen.items()
            }
        return [tower(weights, task, found[f"task_{task}"]) for task in TASKS]

    check({"kind": "ple", "shared_experts": 1, "expert": EXPERT}, logits)


def test_esmm_multiplies_probabilities():
    def logits(weights: Weights, row: Row) -> list[float]:
        x = start(weights, row)
        click, then = (1 / (1 + np.exp(-tower(weights, task, x))) for task in TASKS)
        chance = click * then
        return [np.log(click / (1 - click)), np.log(chance / (1 - chance))]

    check({"kind": "esmm"}, logits)


def test_the_logit_of_a_product_is_finite_where_the_product_is_not():
    a = tf.constant([-60.0, 60.0, 0.0, 80.0])
    b = tf.constant([-60.0, 60.0, 0.0, -3.0])
    # p q ~ e^-120; 1 - p q ~ 2 e^-60; 1/4; p = 1
    expected = [-120.0, 60.0 - np.log(2), np.log(1 / 3), -3.0]
    np.testing.assert_allclose(both(a, b), expected, rtol=1e-6)


def test_esmm_needs_two_tasks():
    spec = zoo.SPEC.model_copy(update={"tasks": zoo.SPEC.tasks[:1]})
    with pytest.raises(ConfigError, match="'like' is the only one"):
        build(zoo.declared("esmm"), spec, seed=1)


@pytest.mark.parametrize("kind", ["shared_bottom", "mmoe", "ple", "esmm"])
def test_experts_and_towers_are_layers_of_their_own(kind):
    layers = build(zoo.declared(kind), zoo.SPEC, seed=1).layers
    assert {f"tower_{task}" for task in TASKS} <= set(layers)
    experts = [name for name in layers if name.startswith("expert_")]
    assert len(experts) == {"mmoe": 2, "ple": 2 * (1 + 1 + 1)}.get(kind, 0)


def test_a_part_has_its_own_hidden_layers():
    config = ModelConfig.model_validate({"kind": "mmoe", "expert": {"dropout": 0.4}})
    assert config.root.expert == Tower(dropout=0.4)
