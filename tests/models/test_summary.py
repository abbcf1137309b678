"""What a model says of itself is what it is: shapes, weights, what reads what."""

import math

import pytest
import tensorflow as tf
from tests.models import zoo
from tests.models.test_blocks import _AVAILABLE

from reclife.contracts import ModelSummary
from reclife.models import BUILDERS, build
from reclife.models.layers.scopes import part_of, part_scope
from reclife.models.summary import summarise


def summary_of(kind: str) -> ModelSummary:
    return summarise(build(zoo.declared(kind), zoo.SPEC, seed=1), kind)


@pytest.mark.parametrize("kind", sorted(BUILDERS))
def test_every_weight_is_counted_in_one_part_and_each_part_comes_after_those_it_reads(kind):
    model = build(zoo.declared(kind), zoo.SPEC, seed=1)
    summary = summarise(model, kind)
    whole = [part for part in summary.parts if part.within is None]
    tables = sum(math.prod(shape) for shape in summary.tables.values())
    assert sum(part.numbers for part in whole) + tables == model.parameter_count()
    known: set[str] = set()
    for part in whole:
        assert set(part.reads) <= known
        known.add(part.name)
    assert len(known) == len(whole)
    assert known >= {feature.name for feature in model.features} | set(model.layers)
    assert whole[-1].kind == "logit"
    assert whole[-1].shape == f"[B, {len(model.tasks)}]"


def test_a_layer_reads_what_it_is_given_and_is_told_piece_by_piece():
    parts = {part.name: part for part in summary_of("din").parts}
    assert set(parts["attention_history"].reads) == {"history", "item"}
    assert parts["history"].shape == "[B, 6, 8]"
    assert parts["attention_history"].shape == "[B, 8]"
    # the activation unit takes the 6 positions apart: 4 x 8 numbers in, 32 units, each with a bias
    unit = parts["attention_history_unit_0"]
    assert (unit.within, unit.shape) == ("attention_history", "[6 B, 32]")
    assert unit.numbers == (4 * 8 + 1) * 32
    (joint,) = parts["perceptron"].reads
    # item, genre, genres, two histories of 8 each, three numbers
    assert parts[joint].shape == f"[B, {5 * 8 + 3}]"


def test_blocks_are_told_as_they_were_declared():
    config = zoo.declared("blocks").root
    parts = {part.name: part for part in summary_of("blocks").parts}
    for name, shape in config.shapes(_AVAILABLE).items():
        assert parts[name].shape == str(shape)
        assert parts[name].kind == config.blocks[name].kind
        if config.blocks[name].reads:
            assert set(parts[name].reads) == set(config.blocks[name].reads)


@pytest.mark.parametrize("name", ["likes", "mean_类别", "a b-c.d/e:f", "-2d-"])
def test_an_operation_tells_its_part_whatever_a_feature_is_called(name):
    with tf.Graph().as_default() as graph, part_scope("mean", name):
        tf.constant(1)
    assert part_of(graph.get_operations()[0].name) == ("mean", name)
