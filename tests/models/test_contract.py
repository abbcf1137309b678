"""Every ranking model keeps the same promises."""

from functools import cache

import keras
import numpy as np
import pytest
import tensorflow as tf
from tests.models.zoo import DECLARED, NEEDED, SPEC, declared, inputs_of, scrambled, spec_of, table

from reclife.contracts import PADDING_ID, Feature
from reclife.datasets.tensors import to_arrays
from reclife.errors import ArtifactError, ConfigError
from reclife.export.probe import check_exportable
from reclife.models import BUILDERS, build
from reclife.models.ranking import RankingModel
from reclife.models.saved import compiled, load_model, predict_arrays, save_model

KINDS = sorted(BUILDERS)
SPECS = [
    SPEC,
    spec_of("item"),
    spec_of("mean"),
    spec_of("mood"),
    spec_of("genres", "shares", "mean"),
    spec_of("history"),
    spec_of("item", "history"),
    spec_of("item", "history", "genre", "history_genre"),
]


@cache
def ready(kind: str) -> RankingModel:
    """Return a model with random weights, for tests that change nothing of it."""
    return scrambled(build(declared(kind), SPEC, seed=1))


def test_every_kind_is_held_to_the_contract():
    assert set(DECLARED) == set(BUILDERS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: "+".join(f.name for f in spec.features))
def test_builds_from_any_specification_and_gives_one_logit_a_row(kind, spec):
    if not NEEDED.get(kind, set()) <= {f.name for f in spec.features}:
        with pytest.raises(
            ConfigError, match=f"Model {kind}.* a category of the item|the model has no"
        ):
            build(declared(kind), spec, seed=1)
        return
    model = build(declared(kind), spec, seed=1)
    logits = model(inputs_of(model, 7), training=True)
    assert logits.shape == (7, len(model.tasks))
    assert model.tasks == SPEC.tasks[: len(model.tasks)]
    assert logits.dtype == tf.float32
    assert np.isfinite(logits.numpy()).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_scores_the_same_in_every_batch_size(kind):
    model = ready(kind)
    score, arrays = compiled(model), to_arrays(table(300, seed=4), model.features)
    whole = predict_arrays(score, arrays, 300, batch_size=300)
    assert whole.shape == (300, len(model.tasks))
    assert (np.ptp(whole, axis=0) > 0.1).all()
    np.testing.assert_allclose(predict_arrays(score, arrays, 300, batch_size=7), whole, atol=1e-6)
    alone = {name: array[9:10] for name, array in arrays.items()}
    np.testing.assert_allclose(predict_arrays(score, alone, 1), whole[9:10], atol=1e-6)
    nothing = {name: array[:0] for name, array in arrays.items()}
    assert predict_arrays(score, nothing, 0).shape == (0, len(model.tasks))


@pytest.mark.parametrize("kind", KINDS)
def test_padding_in_front_changes_no_score(kind):
    model = ready(kind)
    inputs = inputs_of(model, 64)
    longer = dict(inputs)
    for name in ("history", "history_genre", "genres", "shares"):
        longer[name] = tf.pad(inputs[name], [[0, 0], [10, 0]], constant_values=PADDING_ID)
    expected = tf.sigmoid(model(inputs)).numpy()
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(tf.sigmoid(model(longer)).numpy(), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_padding_row_contributes_nothing(kind):
    model = scrambled(build(declared(kind), SPEC, seed=1))
    inputs = inputs_of(model, 64)
    before = model(inputs).numpy()
    for variable in model.tables.values():
        rows = variable.numpy()
        rows[PADDING_ID] = 1e6
        variable.assign(rows)
    np.testing.assert_array_equal(model(inputs).numpy(), before)


@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_loaded_is_the_same_model(kind, tmp_path):
    config = declared(kind, exclude_features=["mood"])
    model = scrambled(build(config, SPEC, seed=1))
    save_model(model, config, SPEC, tmp_path)
    loaded, inputs = load_model(tmp_path, SPEC), inputs_of(model, 100)
    assert loaded.features == model.features
    np.testing.assert_array_equal(loaded(inputs), model(inputs))
    assert not list(tmp_path.rglob("*.pkl"))


def test_a_model_of_another_specification_is_refused(tmp_path):
    config = declared("logistic_regression")
    save_model(build(config, SPEC, seed=1), config, SPEC, tmp_path)
    with pytest.raises(ArtifactError, match="another feature specification"):
        load_model(tmp_path, SPEC.model_copy(update={"state_hash": "other"}))


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides_the_initial_weights(kind):
    def weights(seed: int) -> np.ndarray:
        model = build(declared(kind), SPEC, seed)
        return np.concatenate([np.ravel(v.numpy()) for v in model.weights().values()])

    first = weights(3)
    np.testing.assert_array_equal(first, weights(3))
    assert not np.array_equal(first, weights(4))


@pytest.mark.parametrize("kind", KINDS)
def test_excluded_features_are_neither_read_nor_given_a_table(kind):
    model = build(declared(kind, exclude_features=["genres"]), SPEC, seed=1)
    assert "genres" not in model.tables
    used = [f.name for f in model.features]
    assert used == [f.name for f in SPEC.features if f.name not in ("genres", "shares")]
    with pytest.raises(ConfigError, match="Did you mean 'history'"):
        build(declared(kind, exclude_features=["histori"]), SPEC, seed=1)
    with pytest.raises(ConfigError, match="without any feature"):
        build(declared(kind, exclude_features=["mean"]), spec_of("mean"), seed=1)


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_descent_lowers_the_loss(kind):
    model = build(
        declared(kind, embedding_initializer={"kind": "uniform", "bound": 0.2})
        if kind != "logistic_regression"
        else declared(kind),
        SPEC,
        seed=1,
    )
    rows = table(256, seed=3)
    labels = np.stack([np.asarray(rows[task.label]) for task in model.tasks], axis=1)
    inputs, variables = inputs_of(model, 256), _trainable(model)
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            logits = model(inputs, training=True)
            loss = tf.reduce_mean(
                tf.nn.sigmoid_cross_entropy_with_logits(labels.astype("float32"), logits)
            )
        losses.append(float(loss))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(tf.convert_to_tensor(gradient))
    assert losses[-1] < losses[0] - 0.02


def _trainable(model: RankingModel) -> list[tf.Variable]:
    return [*model.tables.values(), *(v.value for v in model.dense_variables)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_penalty_counts_present_rows_only(kind):
    model = scrambled(build(declared(kind, embedding_l2=0.5), SPEC, seed=1))
    inputs = inputs_of(model, 50)
    expected = 0.0
    for feature in model.embedded:
        ids = model.select(inputs)[feature.name].numpy()
        expected += np.square(model.tables[feature.table].numpy()[ids[ids != 0]]).sum()
    selected = model.select(inputs)
    penalty = float(model.penalty(model.look_up(selected), selected, tf.constant(50.0)))
    assert penalty == pytest.approx(0.5 * expected / 50, rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_lowered_to_onnx_it_gives_the_same_probabilities(kind):
    check_exportable(ready(kind), SPEC)


def test_weights_name_every_variable_of_every_layer():
    model = build(declared("deepfm", embedding_dims={"genres": 4}), SPEC, seed=1)
    named = sum(isinstance(v, tf.Variable) for v in model.weights().values())
    expected = len(model.tables) + sum(len(layer.weights) for layer in model.layers.values())
    assert named == expected
    dropouts = [x for x in model.layers["perceptron"].layers if isinstance(x, keras.layers.Dropout)]
    assert len(model.random_states()) == len(dropouts) == 2
    assert model.parameter_count() == sum(v.numpy().size for v in model.weights().values())


def test_features_are_kept_as_the_specification_orders_them():
    model = build(declared("deepfm"), SPEC, seed=1)
    assert all(isinstance(feature, Feature) for feature in model.features)
    assert model.features == SPEC.features
