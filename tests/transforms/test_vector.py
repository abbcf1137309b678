"""Vectors pass as they are, or are refused with their column and how many."""

from typing import Any

import pyarrow as pa
import pytest
from tests.transforms.rows import state_of, written

from reclife.datasets.tensors import to_array
from reclife.errors import DataError
from reclife.transforms.engine.plan import feature_spec

VECTOR: dict[str, Any] = {
    "kind": "vector",
    "name": "embedding",
    "source": "interaction",
    "column": "x",
    "length": 2,
}
LISTS = [[0.5, 1.0], None, [-2.0, 0.1]]
EXPECTED = [[0.5, 1.0], [0.0, 0.0], [-2.0, pytest.approx(0.1)]]


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.float64()),
        pa.list_(pa.float32()),
        pa.large_list(pa.float64()),
        pa.list_(pa.float64(), 2),
    ],
    ids=str,
)
def test_lists_of_any_type_become_float32(kind: pa.DataType) -> None:
    state = state_of(VECTOR)
    found = written(state, x=pa.array(LISTS, kind))
    assert found["embedding"].to_pylist() == EXPECTED
    assert str(found.schema.field("embedding").type).endswith("float>")
    feature = feature_spec(state, timed=True).feature("embedding")
    assert to_array(found, feature).shape == (3, 2)
    assert feature.table is None


def test_texts_of_numbers_are_vectors() -> None:
    texts = pa.array(["[0.5, 1.0]", None, "-2,1e-1", "", " [ ] "])
    found = written(state_of(VECTOR), x=texts)["embedding"].to_pylist()
    assert found == [*EXPECTED, [0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1.0], [1.0, 2.0], [1.0, 2.0, 3.0]], "'x' has 2 vector.* of another length among 3 rows"),
        ([[], [1.0, 2.0]], "'x' has 1 vector.* among 2 rows; declared are 2"),
        ([[1.0, None], [1.0, float("nan")], [float("inf"), 1.0], [1.0, 1.0]], "has 3 vector.*NaN"),
        (["1,b"], "'x'.*'b'"),
    ],
)
def test_what_is_no_such_vector_is_refused(values: list[Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        written(state_of(VECTOR), x=pa.array(values))


def test_another_column_is_refused() -> None:
    with pytest.raises(DataError, match="int64"):
        written(state_of(VECTOR), x=pa.array([1, 2]))


def test_no_rows() -> None:
    found = written(state_of(VECTOR), x=pa.array([], pa.list_(pa.float64())))
    assert found["embedding"].to_pylist() == []
