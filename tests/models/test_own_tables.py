"""Any kind of model may give single tables a length and a start of their own."""

import numpy as np
import pytest
from tests.models.zoo import SPEC, declared, inputs_of

from reclife.errors import ConfigError
from reclife.models import build

KINDS = ["deepfm", "fm", "din", "mmoe", "xdeepfm"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_its_own_length_is_projected_and_the_rest_is_as_it_was(kind):
    plain = build(declared(kind), SPEC, seed=1)
    model = build(declared(kind, embedding_dims={"items": 3}), SPEC, seed=1)
    assert model.tables["items"].shape[1] == (4 if kind == "deepfm" else 3)
    assert "projection_items" in model.layers
    np.testing.assert_array_equal(model.tables["genres"], plain.tables["genres"])
    logits = model(inputs_of(model, 9), training=True)
    assert logits.shape == (9, len(model.tasks))
    assert np.isfinite(logits.numpy()).all()


def test_projected_rows_are_the_product_with_the_declared_matrix():
    model = build(declared("fm", embedding_dims={"items": 3}), SPEC, seed=1)
    wide = build(declared("fm"), SPEC, seed=1)
    kernel = model.layers["projection_items"].kernel.numpy()
    wide.tables["items"].assign(model.tables["items"].numpy() @ kernel)
    inputs = inputs_of(model, 16)
    np.testing.assert_allclose(model(inputs), wide(inputs), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_may_start_otherwise(kind):
    initial = {"genres": {"kind": "uniform", "bound": 0.5}}
    model = build(declared(kind, embedding_initializers=initial), SPEC, seed=1)
    plain = build(declared(kind), SPEC, seed=1)
    rows = model.tables["genres"].numpy()
    assert not rows[:2].any()  # padding and unknown
    assert 0.3 < np.abs(rows).max() <= 0.5
    np.testing.assert_array_equal(model.tables["items"], plain.tables["items"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", ["embedding_dims", "embedding_initializers"])
def test_a_table_that_is_not_there_is_refused(key, kind):
    value = 4 if key == "embedding_dims" else {"kind": "normal"}
    with pytest.raises(ConfigError, match=rf"{key} names 'itms'; .*did you mean 'items'"):
        build(declared(kind, **{key: {"itms": value}}), SPEC, seed=1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_common_length_declared_once_more_changes_nothing(kind):
    plain = build(declared(kind), SPEC, seed=1)
    model = build(declared(kind, embedding_dims={"items": 8}), SPEC, seed=1)
    assert model.weights().keys() == plain.weights().keys()
    np.testing.assert_array_equal(model.tables["items"], plain.tables["items"])


def test_a_block_with_the_name_of_a_projection_is_refused():
    blocks = {
        "rows": {"kind": "fields", "features": ["item"]},
        "flat": {"kind": "flatten", "input": "rows"},
        "projection_items": {"kind": "linear", "input": "flat"},
    }
    more = {"blocks": blocks, "outputs": {"like": "projection_items"}}
    build(declared("blocks", **more), SPEC, seed=1)
    with pytest.raises(ConfigError, match="projection_items is the name of the layer"):
        build(declared("blocks", **more, embedding_dims={"items": 3}), SPEC, seed=1)
