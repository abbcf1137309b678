"""Columns of examples as numpy arrays: what a model, a graph or a batch job is fed with."""

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reclife.contracts import Feature
from reclife.errors import DataError

Array = NDArray[Any]


def to_arrays(table: pa.Table, features: Iterable[Feature]) -> dict[str, Array]:
    """Return one array a feature: `[N]` for a scalar, `[N, L]` for a list of length `L`.

    Args:
        table: Examples; columns that no feature asks for are passed over.
        features: What is wanted, with the dtype and shape each must have.

    Raises:
        DataError: A column is missing, holds nulls, or has another type or length than declared.
    """
    return {feature.name: to_array(table, feature) for feature in features}


def to_array(table: pa.Table, feature: Feature) -> Array:
    """Return the array of one `feature`; see `to_arrays`."""
    column = _column(table, feature.name)
    values = _list_values(column, feature) if feature.shape else column
    _check_type(values.type, feature)
    array = values.to_numpy(zero_copy_only=False).astype(feature.dtype, copy=False)
    return array.reshape((table.num_rows, *feature.shape))


def column_to_array(table: pa.Table, name: str, dtype: str) -> Array:
    """Return the plain column `name` as `[N]` numbers, without nulls."""
    column = _column(table, name)
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise DataError(f"Column {name!r} holds {column.type}, expected numbers.")
    return column.to_numpy(zero_copy_only=False).astype(dtype, copy=False)


def _column(table: pa.Table, name: str) -> pa.Array:
    if name not in table.column_names:
        near = difflib.get_close_matches(name, table.column_names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise DataError(f"Column {name!r} is missing from the examples.{hint}")
    column = table.column(name).combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if column.null_count:
        raise DataError(f"Column {name!r} has {column.null_count} null(s) in {len(column)} rows.")
    return column


def _list_values(column: pa.Array, feature: Feature) -> pa.Array:
    if not (pa.types.is_nested(column.type) and hasattr(column, "flatten")):
        raise DataError(f"Column {feature.name!r} holds {column.type}, expected lists.")
    values = column.flatten()
    expected = int(np.prod(feature.shape))
    lengths = column.value_lengths().to_numpy(zero_copy_only=False)
    wrong = int((lengths != expected).sum())
    if wrong:
        raise DataError(
            f"Column {feature.name!r}: {wrong} of {len(column)} rows do not have the declared "
            f"length {expected}."
        )
    if values.null_count:
        raise DataError(
            f"Column {feature.name!r} has {values.null_count} null(s) inside its lists."
        )
    return values


def _check_type(actual: pa.DataType, feature: Feature) -> None:
    fits = (
        pa.types.is_integer(actual)
        if feature.dtype == "int64"
        else pa.types.is_floating(actual) or pa.types.is_integer(actual)
    )
    if not fits:
        raise DataError(f"Column {feature.name!r} holds {actual}, expected {feature.dtype}.")
