"""The order of the examples follows from (seed, epoch) alone."""

import numpy as np
import pyarrow as pa
import pytest
from tests.training import toy

from reclife.config.objective import ObjectiveConfig
from reclife.contracts import Task
from reclife.errors import DataError
from reclife.training.examples import Batches, Examples


def numbered(rows: int) -> Examples:
    return Examples(
        {"row": np.arange(rows)}, np.zeros((rows, 1)), np.ones(rows), np.arange(rows) // 3
    )


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
        Examples.from_table(wrong, toy.SPEC.features, toy.SPEC, ObjectiveConfig())


def test_declared_weights_are_read():
    spec = toy.SPEC.model_copy(update={"weight": "importance"})
    table = toy.table(3, seed=0).append_column("importance", pa.array([1, 2, 3]))
    examples = Examples.from_table(table, spec.features, spec, ObjectiveConfig())
    assert examples.weights.tolist() == [1.0, 2.0, 3.0]


def test_a_sampled_negative_counts_by_its_probability_where_that_is_declared():
    update = {"weight": "importance", "sampling_probability": "probability"}
    spec = toy.SPEC.model_copy(update=update)
    table = toy.table(3, seed=0).append_column("importance", pa.array([1, 2, 3]))
    table = table.append_column("probability", pa.array([1.0, 0.5, 0.1]))

    def weights(sampled: str) -> list[float]:
        objective = ObjectiveConfig.model_validate({"sampled": sampled})
        return Examples.from_table(table, spec.features, spec, objective).weights.tolist()

    assert weights("as_drawn") == [1.0, 2.0, 3.0]
    assert weights("inverse_probability") == pytest.approx([1.0, 4.0, 30.0])


def test_labels_of_several_tasks_may_be_unknown():
    tasks = (Task(name="click", label="label"), Task(name="buy", label="label_buy"))
    spec = toy.SPEC.model_copy(update={"tasks": tasks})
    table = toy.table(3, seed=0).append_column("label_buy", pa.array([1.0, None, 0.0]))
    examples = Examples.from_table(table, spec.features, spec, ObjectiveConfig())
    expected = np.stack([table["label"].to_numpy(), [1.0, np.nan, 0.0]], axis=1)
    np.testing.assert_array_equal(examples.labels, expected.astype("float32"))


def test_an_id_outside_its_table_is_refused():
    table = toy.table(3, seed=0)
    at = table.schema.get_field_index("item")
    wrong = table.set_column(at, "item", pa.array([1, toy.ITEMS, -1]))
    with pytest.raises(DataError, match="'item': 2 of 3 ids lie outside its table 'items' of 40"):
        Examples.from_table(wrong, toy.SPEC.features, toy.SPEC, ObjectiveConfig())


def test_a_group_column_that_is_not_there_is_named():
    objective = ObjectiveConfig(group="query")
    with pytest.raises(DataError, match="'query'"):
        Examples.from_table(toy.table(3, seed=0), toy.SPEC.features, toy.SPEC, objective)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, None, 2], r"'query', which holds int64 with 1 null\(s\)"),
        ([[1], [2], [3]], "'query', which holds list"),
    ],
    ids=["null", "list"],
)
def test_a_group_is_one_known_value(values, message):
    table = toy.table(3, seed=0).append_column("query", pa.array(values))
    with pytest.raises(DataError, match=message):
        Examples.from_table(table, toy.SPEC.features, toy.SPEC, ObjectiveConfig(group="query"))


def test_labels_of_several_tasks_are_numbers_that_are_there():
    tasks = (Task(name="like", label="label"), Task(name="buy", label="label_buy"))
    spec = toy.SPEC.model_copy(update={"tasks": tasks})
    table = toy.table(3, seed=0)
    with pytest.raises(DataError, match="'label_buy' of labels is missing"):
        Examples.from_table(table, spec.features, spec, ObjectiveConfig())
    table = table.append_column("label_buy", pa.array(["1", "0", None]))
    with pytest.raises(DataError, match="'label_buy' holds string, expected numbers"):
        Examples.from_table(table, spec.features, spec, ObjectiveConfig())


def test_grouped_batches_keep_the_rows_of_a_group_together():
    batches = Batches(numbered(30), 10, seed=1, grouped=True)
    order = batches.order(epoch=1)
    assert sorted(order.tolist()) == list(range(30))
    groups = batches.examples.groups[order]
    assert np.count_nonzero(np.diff(groups)) == 9  # ten groups, each in one run
    assert groups.tolist() != sorted(groups.tolist())
    assert order.tolist() != batches.order(epoch=2).tolist()
