"""Layers in half the bits: what stays in float32, overflows, and the check that it pays."""

from contextlib import nullcontext

import numpy as np
import pytest
import tensorflow as tf
from tests.models.zoo import DECLARED, SPEC, declared, inputs_of
from tests.training import toy

from reclife.config.precision import BFloat16Config, Float16Config
from reclife.errors import ConfigError
from reclife.models import build
from reclife.training import probe
from reclife.training.precision import DynamicScaling, build_model
from reclife.training.probe import check_speed
from reclife.training.replicas import Alone
from reclife.training.synchronous import synchronous
from reclife.training.trainer import Rates

ROUNDING = {"bfloat16": 2.0**-8, "float16": 2.0**-11}
"""Relative error of one rounding."""

SMALL_RANGE = ("autoint", "bst", "mmoe")
"""Kinds with softmaxes and masks, which the range of float16 could break."""


@pytest.mark.parametrize("kind", sorted(DECLARED))
def test_every_kind_of_model_computes_in_half_the_bits_with_float32_weights(kind):
    plain, inputs = build(declared(kind), SPEC, seed=1), None
    for precision in (BFloat16Config(), Float16Config())[: 2 if kind in SMALL_RANGE else 1]:
        model = build_model(declared(kind), SPEC, 1, precision)
        inputs = inputs or inputs_of(model, 16)
        for name, variable in model.weights().items():
            assert variable.dtype == tf.float32
            np.testing.assert_array_equal(variable.numpy(), plain.weights()[name].numpy())
        logits, expected = model(inputs), plain(inputs).numpy()
        assert logits.dtype == tf.float32
        allowed = 10 * ROUNDING[precision.kind] * max(1.0, np.abs(expected).max())
        assert np.abs(logits.numpy() - expected).max() < allowed
        assert np.isfinite(model(inputs, training=True).numpy()).all()


def test_half_the_bits_is_really_used():
    model = build_model(declared("deepfm"), SPEC, 1, BFloat16Config())
    layer = model.layers["perceptron"].layer
    assert layer.layers[0].compute_dtype == "bfloat16"
    assert model.layers["normalization"].layer.compute_dtype == "float32"


@pytest.fixture
def moved() -> tf.Variable:
    return tf.Variable(0.0)


def applied(scaling: DynamicScaling, norm: float, moved: tf.Variable) -> float:
    def update() -> None:
        moved.assign_add(1.0)

    return float(scaling.apply(tf.constant(norm), update))


def test_an_overflow_leaves_the_step_out_and_halves_the_scale(moved):
    scaling = DynamicScaling(Float16Config(initial_scale=4.0, growth_steps=2))
    assert float(scaling.unscaled(scaling.scaled(tf.constant(3.0)))) == 3.0
    assert applied(scaling, np.inf, moved) == 0.0
    assert (float(moved), float(scaling.variables()["scale"])) == (0.0, 2.0)
    assert [applied(scaling, 5.0, moved) for _ in range(2)] == [5.0, 5.0]
    assert (float(moved), float(scaling.variables()["scale"])) == (2.0, 4.0)


def test_what_no_scale_repairs_is_reported(moved):
    scaling = DynamicScaling(Float16Config(initial_scale=1.0))
    assert np.isnan(applied(scaling, np.nan, moved))


def test_a_step_in_float16_is_that_of_float32_up_to_rounding():
    def stepped(**declared: object) -> np.ndarray:
        config = toy.config(
            model={"kind": "deepfm", "dropout": 0.0, "hidden_units": [8]}, **declared
        )
        trainer = synchronous(Alone())(config, toy.SPEC, 1)
        examples = toy.examples(toy.table(64, seed=1), trainer.model)
        trainer.step(trainer.prepare(examples, np.arange(64)), Rates(0.05, 0.01, 1))
        trainer.unpack()
        return trainer.model.tables["items"].numpy()

    moved = stepped(precision={"kind": "float16"})
    np.testing.assert_allclose(moved, stepped(), atol=20 * ROUNDING["float16"])


@pytest.mark.parametrize(("declared", "refused"), [(0.0102, False), (0.0104, True)])
def test_what_is_slower_than_float32_is_refused_unless_forced(declared, refused, monkeypatch):
    """A step of float32 takes 10 ms, and 3 % are noise; whose clock it is does not matter."""
    monkeypatch.setattr(probe, "_turns", lambda runs, _: [0.01, declared])
    precision = {"precision": {"kind": "float16"}, "batch_size": 256}
    config = toy.config(**precision)
    examples = toy.examples(toy.table(256, seed=1), build(config.model, toy.SPEC, 1))
    expected = pytest.raises(
        ConfigError, match=r"10\.4 ms in float16 and 10\.0 ms in float32: decl"
    )
    with expected if refused else nullcontext():
        check_speed(config, toy.SPEC, examples)
    check_speed(toy.config(**precision, probe={"force": True}), toy.SPEC, examples)


def test_the_shortest_of_the_times_of_each_counts(monkeypatch):
    ticks = iter([0, 5, 10, 12, 20, 23, 30, 37])
    monkeypatch.setattr(probe.time, "perf_counter", lambda: next(ticks))
    assert probe._turns([lambda: None, lambda: None], 2) == [3, 2]
