"""Every ranking model keeps the same promises."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from tests.training import toy

from reclife.config.model import ModelConfig
from reclife.contracts import PADDING_ID, Feature
from reclife.datasets.tensors import to_arrays
from reclife.errors import ArtifactError, ConfigError
from reclife.export.probe import check_exportable
from reclife.models import BUILDERS, build
from reclife.models.ranking import RankingModel
from reclife.models.saved import load_model, predict, save_model

KINDS = sorted(BUILDERS)
SPECS = [
    toy.SPEC,
    toy.spec_of("item"),
    toy.spec_of("mean"),
    toy.spec_of("mood"),
    toy.spec_of("genres", "mean"),
    toy.spec_of("history"),
    toy.spec_of("item", "history"),
]
NEEDED = {"din": {"item", "history"}, "bst": {"item", "history"}}
"""Features without which a kind is refused."""


def declared(kind: str, **fields: object) -> ModelConfig:
    return ModelConfig.model_validate({"kind": kind, **fields})


def scrambled(model: RankingModel, seed: int = 0) -> RankingModel:
    """Give every weight a random value, so that no zero at the start hides a fault."""
    rng = np.random.default_rng(seed)
    for name, variable in model.weights().items():
        value = rng.uniform(0.1, 0.5, variable.shape).astype("float32")
        variable.assign(value * (rng.choice([-1, 1], variable.shape) if "norm" not in name else 1))
    return model


def inputs_of(model: RankingModel, rows: int) -> dict[str, tf.Tensor]:
    arrays = to_arrays(toy.table(rows, seed=3), model.features)
    return {name: tf.constant(array) for name, array in arrays.items()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: "+".join(f.name for f in spec.features))
def test_builds_from_any_specification_and_gives_one_logit_a_row(kind, spec):
    if not NEEDED.get(kind, set()) <= {f.name for f in spec.features}:
        with pytest.raises(ConfigError, match=f"Model {kind} needs a sequence and a category"):
            build(declared(kind), spec, seed=1)
        return
    model = build(declared(kind), spec, seed=1)
    logits = model(inputs_of(model, 7), training=True)
    assert logits.shape == (7, 1)
    assert logits.dtype == tf.float32
    assert np.isfinite(logits.numpy()).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_scores_the_same_in_every_batch_size(kind):
    model = scrambled(build(declared(kind), toy.SPEC, seed=1))
    table = toy.table(4096, seed=4)
    whole = predict(model, table, batch_size=4096)
    assert whole.shape == (4096,)
    assert np.ptp(whole) > 0.1
    np.testing.assert_allclose(predict(model, table, batch_size=7), whole, atol=1e-6)
    np.testing.assert_allclose(
        predict(model, table.slice(9, 1), batch_size=1), whole[9:10], atol=1e-6
    )


@pytest.mark.parametrize("kind", KINDS)
def test_padding_in_front_changes_no_score(kind):
    model = scrambled(build(declared(kind), toy.SPEC, seed=1))
    inputs = inputs_of(model, 64)
    longer = dict(inputs)
    for name in ("history", "genres"):
        longer[name] = tf.pad(inputs[name], [[0, 0], [10, 0]], constant_values=PADDING_ID)
    expected = tf.sigmoid(model(inputs)).numpy()
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(tf.sigmoid(model(longer)).numpy(), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_padding_row_contributes_nothing(kind):
    model = scrambled(build(declared(kind), toy.SPEC, seed=1))
    inputs = inputs_of(model, 64)
    before = model(inputs).numpy()
    for table in model.tables.values():
        rows = table.numpy()
        rows[PADDING_ID] = 1e6
        table.assign(rows)
    np.testing.assert_array_equal(model(inputs).numpy(), before)


@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_loaded_is_the_same_model(kind, tmp_path):
    config = declared(kind, exclude_features=["mood"])
    model = scrambled(build(config, toy.SPEC, seed=1))
    save_model(model, config, toy.SPEC, tmp_path)
    table = toy.table(100, seed=6)
    loaded = load_model(tmp_path, toy.SPEC)
    np.testing.assert_array_equal(predict(loaded, table), predict(model, table))
    assert not list(tmp_path.rglob("*.pkl"))


def test_a_model_of_another_specification_is_refused(tmp_path):
    config = declared("logistic_regression")
    save_model(build(config, toy.SPEC, seed=1), config, toy.SPEC, tmp_path)
    with pytest.raises(ArtifactError, match="another feature specification"):
        load_model(tmp_path, toy.SPEC.model_copy(update={"state_hash": "other"}))


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides_the_initial_weights(kind):
    def weights(seed: int) -> np.ndarray:
        model = build(declared(kind), toy.SPEC, seed)
        return np.concatenate([np.ravel(v.numpy()) for v in model.weights().values()])

    np.testing.assert_array_equal(weights(3), weights(3))
    assert not np.array_equal(weights(3), weights(4))


@pytest.mark.parametrize("kind", KINDS)
def test_excluded_features_are_neither_read_nor_given_a_table(kind):
    model = build(declared(kind, exclude_features=["genres"]), toy.SPEC, seed=1)
    assert "genres" not in model.tables
    assert [f.name for f in model.features] == ["item", "history", "mean", "mood"]
    with pytest.raises(ConfigError, match="Did you mean 'genres'"):
        build(declared(kind, exclude_features=["genre"]), toy.SPEC, seed=1)
    with pytest.raises(ConfigError, match="without any feature"):
        build(declared(kind, exclude_features=["mean"]), toy.spec_of("mean"), seed=1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_penalty_counts_present_rows_only(kind):
    model = scrambled(build(declared(kind, embedding_l2=0.5), toy.SPEC, seed=1))
    inputs = inputs_of(model, 50)
    expected = 0.0
    for feature in model.embedded:
        ids = inputs[feature.name].numpy()
        expected += np.square(model.tables[feature.table].numpy()[ids[ids != 0]]).sum()
    penalty = float(model.penalty(model.look_up(inputs), inputs))
    assert penalty == pytest.approx(0.5 * expected / 50, rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_lowered_to_onnx_it_gives_the_same_probabilities(kind):
    check_exportable(scrambled(build(declared(kind), toy.SPEC, seed=1)), toy.SPEC)


def test_weights_name_every_variable_of_every_layer():
    model = build(declared("deepfm", embedding_dims={"genres": 4}), toy.SPEC, seed=1)
    named = sum(isinstance(v, tf.Variable) for v in model.weights().values())
    expected = len(model.tables) + sum(len(layer.weights) for layer in model.layers.values())
    assert named == expected
    dropouts = [x for x in model.layers["perceptron"].layers if isinstance(x, keras.layers.Dropout)]
    assert len(model.random_states()) == len(dropouts) == 2
    assert model.parameter_count() == sum(v.numpy().size for v in model.weights().values())


def test_features_are_kept_as_the_specification_orders_them():
    model = build(declared("deepfm"), toy.SPEC, seed=1)
    assert all(isinstance(feature, Feature) for feature in model.features)
    assert model.features == toy.SPEC.features
