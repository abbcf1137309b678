"""One view of the tables to validate: Arrow when they fit, Spark when they do not.

Great Expectations takes 0.5 to 1.8 s per expectation on Spark and about 0.1 s for a whole suite on
pandas, so a Spark table of at most `ARROW_VALUES` values is collected once and checked in memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard, final

import pyarrow as pa
from pydantic import BaseModel

from reclife.errors import DataError

ARROW_VALUES: Final = 1 << 25
"""Most values of a Spark table, those of its lists counted, that are collected to the driver.

Of 8 bytes each they are 256 MiB, which pass through the driver's heap twice."""

_NAMES: Final = {
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.date32(): "date",
    pa.null(): "void",
}


@final
@dataclass(frozen=True)
class Table:
    """A dataset under validation.

    `types` holds Spark SQL type names; `data` is a `pyarrow.Table` or, when it is too large to
    collect, a Spark `DataFrame`.
    """

    name: str
    rows: int
    types: Mapping[str, str]
    data: Any

    @property
    def arrow(self) -> pa.Table | None:
        """The data when they are in memory."""
        return self.data if isinstance(self.data, pa.Table) else None


def read(name: str, data: object, most: int = ARROW_VALUES) -> Table:
    """Wrap `data`: Spark, Arrow, pandas, or the rows of a report (pydantic models).

    Raises:
        DataError: when `data` is none of these, or mixes types inside a column.
    """
    if is_spark(data):
        rows, values = _size(data)
        if values > most:
            types = {field.name: field.dataType.simpleString() for field in data.schema.fields}
            return Table(name, rows, types, data)
        return _in_memory(name, data.toArrow())
    return _in_memory(name, _to_arrow(name, data))


def _size(data: Any) -> tuple[int, int]:
    """Return the rows of a Spark table, and its values, the entries of lists counted one by one."""
    from pyspark.sql import functions as sf

    lists = [f.name for f in data.schema.fields if f.dataType.typeName() == "array"]
    entries = [sf.coalesce(sf.sum(sf.array_size(f"`{name}`")), sf.lit(0)) for name in lists]
    rows, *found = data.agg(sf.count(sf.lit(1)), *entries).first()
    return rows, rows * (len(data.columns) - len(lists)) + sum(found)


def is_spark(data: object) -> TypeGuard[Any]:
    """Tell a Spark `DataFrame` (classic or Connect) without importing Spark."""
    return type(data).__module__.startswith("pyspark.sql")


def _in_memory(name: str, table: pa.Table) -> Table:
    types = {field.name: type_name(field.type) for field in table.schema}
    return Table(name, table.num_rows, types, table)


def _to_arrow(name: str, data: object) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, Sequence) and all(isinstance(row, BaseModel) for row in data):
        return pa.Table.from_pylist([row.model_dump(mode="json") for row in data])
    if type(data).__module__.startswith("pandas."):
        try:
            return pa.Table.from_pandas(data, preserve_index=False)
        except pa.ArrowException as error:
            raise DataError(f"{name}: a column mixes types: {error}") from error
    raise DataError(
        f"{name}: cannot validate a {type(data).__name__}; pass a Spark DataFrame, "
        "an Arrow table, a pandas frame or the rows of a report"
    )


def type_name(kind: pa.DataType) -> str:
    """Return the Spark SQL name of an Arrow type."""
    if pa.types.is_dictionary(kind):
        return type_name(kind.value_type)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "string"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return f"array<{type_name(kind.value_type)}>"
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    return _NAMES.get(kind, str(kind))
