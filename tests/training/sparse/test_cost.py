"""Nothing in a step is as large as a table: its cost follows from the batch alone."""

from collections.abc import Iterator
from operator import attrgetter

import pytest
from tests.training import toy

from reclife.contracts import FeatureSpec
from reclife.training.replicas import Alone
from reclife.training.synchronous import synchronous

ROWS = 100_003
"""Rows of the table of items: a prime, so that no other size is a multiple of it."""
CALLED = attrgetter("library.function")
"""The functions that come with a graph's definition."""


def wide() -> FeatureSpec:
    tables = tuple(t.model_copy(update={"size": ROWS}) for t in toy.SPEC.tables[:1])
    return toy.SPEC.model_copy(update={"tables": (*tables, *toy.SPEC.tables[1:])})


def sizes(graph: object) -> Iterator[tuple[str, list[int]]]:
    """Yield every tensor of a traced step and of the functions it calls, with its known axes."""
    definition = graph.as_graph_def(add_shapes=True)  # type: ignore[attr-defined]
    nodes = [*definition.node, *(n for f in CALLED(definition) for n in f.node_def)]
    for node in nodes:
        for shape in node.attr["_output_shapes"].list.shape:
            yield node.op, [axis.size for axis in shape.dim]


@pytest.mark.parametrize("sparse", ["row_wise_adagrad", "lazy_adam"])
def test_no_tensor_of_a_step_is_as_large_as_a_table(sparse):
    config = toy.config(
        model={"kind": "deepfm", "hidden_units": [8]},
        sparse_optimizer={"kind": sparse},
        clipping={"kind": "global_norm", "limit": 1.0},
        eviction={"after_steps": 5},
    )
    trainer = synchronous(Alone())(config, wide(), 1)
    step = trainer._steps[True].get_concrete_function()
    found = list(sizes(step.graph))
    assert any(op == "ResourceGather" for op, _ in found)
    assert len(found) > 300
    large = [(op, axes) for op, axes in found if any(axis >= ROWS for axis in axes)]
    assert large == []
