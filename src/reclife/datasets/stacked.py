"""Several tables as one, their rows one under another."""

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, final

from reclife.datasets.parts import check_types, load_parts, make_parts
from reclife.datasets.read_only import ReadOnly
from reclife.errors import ConfigError, DataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@final
class Stacked(ReadOnly["DataFrame"]):
    """Loads the rows of all tables; a column that a table lacks is null there.

    ::

        raw_interactions:
          type: reclife.datasets.stacked.Stacked
          name_column: action
          rename: {buy: {bought_at: seen_at}}
          tables:
            view: {type: spark.SparkDatasetV2, filepath: data/01_raw/views, file_format: parquet}
            buy: {type: spark.SparkDatasetV2, filepath: data/01_raw/orders, file_format: parquet}

    Args:
        tables: Name -> catalog entry of a table.
        name_column: Column that gets the name of the row's table, if any.
        rename: Name of a table -> its column -> what that is called in the result.
    """

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, Any]],
        name_column: str | None = None,
        rename: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self._parts = make_parts(tables)
        self._name_column = name_column
        self._rename = rename or {}
        if strange := sorted(self._rename.keys() - self._parts.keys()):
            raise ConfigError(f"rename: {', '.join(strange)} is not among the tables")

    def load(self) -> "DataFrame":
        """Return the rows of all tables, lazily.

        Raises:
            DataError: A column to rename is missing, or a column is of different types.
        """
        frames = {n: self._named(n, frame) for n, frame in load_parts(self._parts).items()}
        columns = {column: None for frame in frames.values() for column in frame.columns}
        for column in columns:
            check_types(column, {n: f for n, f in frames.items() if column in f.columns})
        return reduce(
            lambda all_rows, frame: all_rows.unionByName(frame, allowMissingColumns=True),
            frames.values(),
        )

    def _named(self, name: str, frame: "DataFrame") -> "DataFrame":
        from pyspark.sql import functions as sf

        renamed = self._rename.get(name, {})
        missing = sorted(renamed.keys() - set(frame.columns))
        added = [*renamed.values(), *([self._name_column] if self._name_column else [])]
        taken = sorted(set(added) & (set(frame.columns) - renamed.keys()))
        if missing or taken:
            said = [f"no column {column!r} to rename" for column in missing]
            said += [f"a column {column!r} already" for column in taken]
            raise DataError(f"table {name} has {' and '.join(said)}")
        frame = frame.withColumnsRenamed(dict(renamed))
        return frame.withColumn(self._name_column, sf.lit(name)) if self._name_column else frame

    def _describe(self) -> dict[str, str]:
        return {"tables": ", ".join(self._parts)}
