"""Columns become arrays of the declared type and shape, or a sentence."""

import numpy as np
import pyarrow as pa
import pytest

from reclife.contracts import Feature
from reclife.datasets.tensors import to_array, to_arrays
from reclife.errors import DataError

ITEM = Feature(name="item", role="item", kind="category", dtype="int64", table="t")
HISTORY = Feature(
    name="history", role="user", kind="sequence", dtype="int64", shape=(2,), table="t"
)
MEAN = Feature(name="mean", role="item", kind="numeric", dtype="float32")


def test_scalars_and_lists_keep_values_types_and_order():
    table = pa.table(
        {"mean": pa.array([0.5, 1.5]), "history": [[1, 2], [3, 4]], "item": [2**53 + 1, 7]}
    )
    arrays = to_arrays(table, (ITEM, HISTORY, MEAN))
    assert arrays["item"].tolist() == [2**53 + 1, 7]
    assert arrays["history"].tolist() == [[1, 2], [3, 4]]
    assert arrays["mean"].dtype == np.float32
    assert arrays["history"].dtype == np.int64


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.int64()), pa.large_list(pa.int64()), pa.list_(pa.int64(), 2)]
)
def test_every_arrow_list_also_in_slices_and_chunks(kind):
    chunks = [pa.array([[1, 2], [3, 4]], kind), pa.array([[5, 6]], kind)]
    table = pa.table({"history": pa.chunked_array(chunks)})
    assert to_array(table.slice(1), HISTORY).tolist() == [[3, 4], [5, 6]]


def test_an_empty_table_gives_empty_arrays():
    table = pa.table({"history": pa.array([], pa.list_(pa.int64()))})
    assert to_array(table, HISTORY).shape == (0, 2)


@pytest.mark.parametrize(
    ("column", "feature", "message"),
    [
        (pa.array([1, None]), ITEM, r"'item' has 1 null\(s\) in 2 rows"),
        (pa.array([1.5]), ITEM, "'item' holds double, expected int64"),
        (pa.array(["a"]), MEAN, "'mean' holds string, expected float32"),
        (pa.array([1]), HISTORY, "'history' holds int64, expected lists"),
        (pa.array([[1, 2], [1]]), HISTORY, "1 of 2 rows do not have the declared length 2"),
        (pa.array([[1, None]]), HISTORY, "inside its lists"),
    ],
)
def test_what_breaks_the_declaration_is_named(column, feature, message):
    with pytest.raises(DataError, match=message):
        to_array(pa.table({feature.name: column}), feature)


def test_a_missing_column_is_named_with_the_nearest():
    with pytest.raises(DataError, match=r"'item' is missing.*Did you mean 'items'"):
        to_array(pa.table({"items": [1]}), ITEM)
