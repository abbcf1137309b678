"""The order of the examples follows from (seed, epoch) alone."""

import numpy as np
import pyarrow as pa
import pytest
from tests.training import toy

from reclife.errors import DataError
from reclife.training.examples import Batches, Examples


def numbered(rows: int) -> Examples:
    return Examples({"row": np.arange(rows)}, np.zeros(rows), np.ones(rows))


@pytest.mark.parametrize(("rows", "size"), [(10, 3), (9, 3), (2, 5), (1000, 7)])
def test_an_epoch_holds_every_row_once_in_batches_of_almost_one_size(rows, size):
    batches = Batches(numbered(rows), size, seed=1)
    order = batches.order(epoch=2)
    parts = [batches.batch(order, i).inputs["row"] for i in range(len(batches))]
    assert sorted(np.concatenate(parts).tolist()) == list(range(rows))
    sizes = [len(part) for part in parts]
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1


def test_the_order_changes_with_epoch_and_seed_and_with_nothing_else():
    def order(seed: int, epoch: int) -> list[int]:
        return Batches(numbered(50), 8, seed).order(epoch).tolist()

    assert order(1, 1) == order(1, 1)
    assert order(1, 1) != order(1, 2)
    assert order(1, 1) != order(2, 1)


def test_labels_outside_zero_and_one_are_refused():
    table = toy.table(4, seed=0)
    at = table.schema.get_field_index("label")
    wrong = table.set_column(at, "label", pa.array([0.0, 5.0, 1.0, float("nan")]))
    with pytest.raises(DataError, match="'label': 2 of 4 rows"):
        Examples.from_table(wrong, toy.SPEC.features, toy.SPEC)


def test_declared_weights_are_read():
    spec = toy.SPEC.model_copy(update={"weight": "importance"})
    table = toy.table(3, seed=0).append_column("importance", pa.array([1, 2, 3]))
    assert Examples.from_table(table, spec.features, spec).weights.tolist() == [1.0, 2.0, 3.0]
