"""Models declared of blocks: the same as built-in ones, and every mistake told before a tensor."""

from typing import get_args

import numpy as np
import pytest
import yaml
from pydantic import ValidationError
from tests.models import zoo

from reclife.config.blocks import AnyBlock
from reclife.config.blocks.graph import BlocksConfig
from reclife.config.blocks.shapes import Available, Shape
from reclife.config.model import ModelConfig
from reclife.errors import ConfigError
from reclife.export.probe import check_exportable
from reclife.models import build

DEEPFM = """
vectors: {kind: fields}
weights: {kind: first_order}
numbers: {kind: numbers}
number_weights: {kind: linear, input: numbers}
pairs: {kind: factorization, input: vectors}
flat: {kind: flatten, input: vectors}
all: {kind: concat, inputs: [flat, numbers]}
deep: {kind: perceptron, input: all}
sum: {kind: sum, inputs: [weights, number_weights, pairs, deep]}
logit: {kind: bias, input: sum}
"""
DCN = """
vectors: {kind: fields}
flat: {kind: flatten, input: vectors}
numbers: {kind: numbers}
all: {kind: concat, inputs: [flat, numbers]}
crossed: {kind: cross, input: all, layers: 2}
explicit: {kind: linear, input: crossed}
deep: {kind: perceptron, input: all}
logit: {kind: sum, inputs: [explicit, deep]}
"""
DIN = """
item: {kind: fields, features: [item]}
target: {kind: flatten, input: item}
genre: {kind: fields, features: [genre]}
kind: {kind: flatten, input: genre}
history: {kind: sequence, feature: history}
genres: {kind: sequence, feature: history_genre}
interest: {kind: target_attention, input: history, target: target}
taste: {kind: target_attention, input: genres, target: kind}
others: {kind: fields, features: [item, genre, genres]}
flat: {kind: flatten, input: others}
numbers: {kind: numbers}
all: {kind: concat, inputs: [flat, interest, taste, numbers]}
logit: {kind: perceptron, input: all}
"""
SAME = {
    "deepfm": (
        DEEPFM,
        {
            "normalization": "numbers",
            "numeric_weights": "number_weights",
            "perceptron": "deep",
            "bias": "logit",
        },
    ),
    "dcn_v2": (
        DCN,
        {
            "normalization": "numbers",
            "cross": "crossed",
            "cross_weights": "explicit",
            "perceptron": "deep",
        },
    ),
    "din": (
        DIN,
        {
            "normalization": "numbers",
            "attention_history": "interest",
            "attention_history_genre": "taste",
            "perceptron": "logit",
        },
    ),
}
"""By kind: its graph, and the block that is each of its layers."""


def declared(text: str, **outputs: str) -> ModelConfig:
    return ModelConfig.model_validate(
        {"kind": "blocks", "blocks": yaml.safe_load(text), "outputs": outputs or {"like": "logit"}}
    )


@pytest.mark.parametrize("kind", SAME)
def test_declared_of_blocks_a_model_gives_the_same_scores(kind):
    graph, names = SAME[kind]
    built_in = zoo.scrambled(build(zoo.declared(kind), zoo.SPEC, seed=1))
    own = build(declared(graph), zoo.SPEC, seed=9)
    weights = {
        f"dense/{names[name.split('/')[1]]}/{name.split('/')[2]}" if "dense" in name else name: v
        for name, v in built_in.weights().items()
    }
    assert weights.keys() == own.weights().keys()
    for name, variable in own.weights().items():
        variable.assign(weights[name])
    inputs = zoo.inputs_of(built_in, 300)
    for training in (False, True):
        for dropout in (own, built_in):
            for layer in dropout.layers.values():
                for part in getattr(layer, "layers", []):
                    part.rate = 0.0
        expected = built_in(inputs, training=training)
        assert np.ptp(expected) > 0.1
        # the terms of DeepFM are summed in another order
        actual = own(inputs, training=training)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-6 if kind == "deepfm" else 0)


def test_every_kind_of_block_is_built_lowered_and_has_the_shape_that_was_promised():
    text = """
    vectors: {kind: fields, features: [item, genres]}
    weights: {kind: first_order}
    numbers: {kind: numbers, features: [mood, mean]}
    rows: {kind: number_rows, input: numbers}
    item: {kind: fields, features: [item]}
    target: {kind: flatten, input: item}
    whole: {kind: stack, inputs: [vectors, rows, target]}
    attended: {kind: field_attention, input: whole, heads: 2, head_units: 3}
    some: {kind: flatten, input: attended}
    maps: {kind: compressed_interaction, input: whole, maps: [3, 4]}
    pairs: {kind: factorization, input: whole}
    past: {kind: sequence, feature: history}
    mean: {kind: pool, input: past}
    longer: {kind: append, input: past, last: target}
    encoded: {kind: encoder, input: longer}
    summary: {kind: pool, input: encoded, by: sum}
    positions: {kind: flatten, input: encoded}
    interest: {kind: target_attention, input: past, target: target}
    matched: {kind: product, inputs: [interest, target]}
    all: {kind: concat, inputs: [some, maps, mean, summary, positions, matched, numbers]}
    even: {kind: normalize, input: all, by: layer}
    steady: {kind: normalize, input: all}
    thinned: {kind: dropout, input: steady}
    crossed: {kind: cross, input: thinned, rank: 2}
    first: {kind: perceptron, input: crossed, outputs: null, hidden_units: [7]}
    second: {kind: perceptron, input: even, outputs: null, hidden_units: [7], activation: dice}
    mixed: {kind: gate, input: all, experts: [first, second]}
    deep: {kind: linear, input: mixed}
    sum: {kind: sum, inputs: [weights, pairs, deep]}
    logit: {kind: bias, input: sum}
    """
    config = declared(text)
    model = zoo.scrambled(build(config, zoo.SPEC, seed=1))
    graph = config.root
    assert isinstance(graph, BlocksConfig)
    assert {block.kind for block in graph.blocks.values()} == _kinds()
    assert graph.shapes(_AVAILABLE)["all"] == Shape((6 * 6 + 7 + 8 + 8 + 7 * 8 + 8 + 3,))
    assert model(zoo.inputs_of(model, 5), training=True).shape == (5, 1)
    check_exportable(model, zoo.SPEC)


def _kinds() -> set[str]:
    return {get_args(block.model_fields["kind"].annotation)[0] for block in get_args(AnyBlock)}


_AVAILABLE = Available(
    categories=("item", "genre", "genres", "history", "history_genre"),
    sequences={"history": 6, "history_genre": 6},
    numbers={"mean": 1, "mood": 2},
    dim=8,
)


def test_features_that_no_block_reads_are_left_out_and_weights_stay_with_their_list():
    text = """
    some: {kind: fields, features: [genres]}
    flat: {kind: flatten, input: some}
    logit: {kind: linear, input: flat}
    """
    model = build(declared(text), zoo.SPEC, seed=1)
    assert [feature.name for feature in model.features] == ["genres", "shares"]
    assert list(model.tables) == ["genres"]


def test_what_is_wrong_with_a_graph_is_told_at_once():
    text = """
    vectors: {kind: fields}
    flat: {kind: flatten, input: vector}
    idle: {kind: numbers}
    a: {kind: concat, inputs: [flat, b]}
    b: {kind: linear, input: a}
    logit: {kind: linear, input: b}
    """
    with pytest.raises(ValidationError) as error:
        declared(text, like="logits")
    message = str(error.value)
    assert "block 'flat' reads 'vector'; did you mean 'vectors'?" in message
    assert "the output of 'like' is 'logits'; did you mean 'logit'?" in message
    assert "in a circle: a -> b -> a" in message or "in a circle: b -> a -> b" in message
    assert "block 'idle' is read by none" in message


def test_what_is_wrong_with_shapes_is_told_at_once():
    text = """
    vectors: {kind: fields}
    deep: {kind: perceptron, input: vectors}
    past: {kind: sequence, feature: histroy}
    numbers: {kind: numbers}
    pooled: {kind: pool, input: numbers}
    both: {kind: sum, inputs: [pooled, numbers]}
    other: {kind: sequence, feature: history}
    longer: {kind: append, input: other, last: numbers}
    encoded: {kind: encoder, input: other, heads: 3}
    flat: {kind: flatten, input: encoded}
    wide: {kind: flatten, input: longer}
    mixed: {kind: sum, inputs: [numbers, all]}
    all: {kind: flatten, input: vectors}
    logit: {kind: concat, inputs: [deep, both, flat, wide, mixed, mean, numbers]}
    mean: {kind: pool, input: past}
    """
    with pytest.raises(ConfigError) as error:
        declared(text, like="all", buy="logit").root.shapes(_AVAILABLE)
    message = str(error.value)
    assert "has 7 problem(s)" in message
    for expected in (
        "blocks.deep: perceptron needs a vector [B, N], and gets [B, 5, 8]",
        "blocks.past: sequence 'histroy' is no sequence of the model; did you mean 'history'?",
        "blocks.pooled: pool needs a sequence [B, L, D] padded, and gets [B, 3]",
        "blocks.longer: append needs a last position of width 8, and gets [B, 3]",
        "blocks.encoded: encoder has 3 heads, which do not divide the width of [B, 6, 8] padded",
        "blocks.mixed: sum needs inputs of one shape, and gets [B, 3], [B, 40]",
        "outputs.like: block 'all' gives [B, 40], not one logit [B, 1]",
    ):
        assert expected in message


def test_outputs_are_tasks_and_the_first_is_among_them():
    text = "numbers: {kind: numbers}\nlogit: {kind: linear, input: numbers}"
    with pytest.raises(ConfigError, match=r"'bye' is no task; did you mean 'buy'(.|\n)*'like'"):
        build(declared(text, bye="logit"), zoo.SPEC, seed=1)


@pytest.mark.parametrize(("kind", "by"), [("sum", "mean"), ("product", "sum")])
def test_two_sequences_are_joined_where_their_positions_are_there(kind, by):
    text = f"""
    items: {{kind: sequence, feature: history}}
    genres: {{kind: sequence, feature: history_genre}}
    both: {{kind: {kind}, inputs: [items, genres]}}
    one: {{kind: pool, input: both, by: {by}}}
    logit: {{kind: linear, input: one}}
    """
    model = zoo.scrambled(build(declared(text), zoo.SPEC, seed=1))  # padding has a row, too
    ids = {name: zoo.inputs_of(model, 50)[name].numpy() for name in ("history", "history_genre")}
    ids["history"][:, 2], ids["history_genre"][:, 3], ids["history"][0] = 0, 0, 0
    matrix = model.layers["logit"].kernel.numpy()[:, 0]
    expected = []
    for items, genres in zip(ids["history"], ids["history_genre"], strict=True):
        rows = []
        for item, genre in zip(items, genres, strict=True):
            there = [
                model.tables[table][place].numpy()
                for table, place in (("items", item), ("genre", genre))
                if place
            ]
            if kind == "sum" and there:
                rows.append(sum(there))
            elif len(there) == 2:
                rows.append(there[0] * there[1])
        total = sum(rows, np.zeros(8))
        expected.append(total @ matrix / (max(len(rows), 1) if by == "mean" else 1))
    np.testing.assert_allclose(model(ids)[:, 0], expected, rtol=1e-5, atol=1e-6)
