"""Numbers of rows by the values of several columns, alike in two tables."""

import numpy as np
import pyarrow as pa

from reclife.transforms.kernels.keys import numbered


def test_numbers_rise_with_the_values_of_both_tables() -> None:
    draw = np.random.default_rng(0)
    texts = np.array(["b", "a", "c", None], object)
    first, second = (
        pa.table({"x": draw.integers(0, 5, n), "y": pa.array(texts[draw.integers(0, 4, n)])})
        for n in (60, 40)
    )
    rows = [tuple(row.values()) for table in (first, second) for row in table.to_pylist()]
    places = {row: place for place, row in enumerate(sorted({r for r in rows if r[1]}))}
    found = np.concatenate(numbered(first, second, ("x", "y")))
    assert [row[1] is None for row in rows] == (found < 0).tolist()
    told = [(places[row], number) for row, number in zip(rows, found, strict=True) if row[1]]
    assert len(set(told)) == len(places)
    assert sorted(set(told)) == sorted(set(told), key=lambda pair: pair[1])


def test_empty_tables() -> None:
    empty = pa.table({"x": pa.array([], pa.int64())})
    some = pa.table({"x": [7, 7]})
    assert [one.tolist() for one in numbered(empty, some, ("x",))] == [[], [0, 0]]
    assert [one.tolist() for one in numbered(empty, empty, ("x",))] == [[], []]
