"""A table with the columns of others beside its own, found by a key."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from reclife.datasets.parts import check_types, load_parts, make_parts
from reclife.datasets.read_only import ReadOnly
from reclife.errors import ConfigError, DataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@final
class Joined(ReadOnly["DataFrame"]):
    """Loads all rows of the first table; what the others say of a row's key stands beside it.

    ::

        raw_items:
          type: reclife.datasets.joined.Joined
          key: sku
          tables:
            items: {type: spark.SparkDatasetV2, filepath: data/01_raw/items, file_format: parquet}
            prices: {type: spark.SparkDatasetV2, filepath: data/01_raw/prices, file_format: parquet}

    A key that a table does not hold has nulls there.

    Args:
        key: Column that all tables have.
        tables: Name -> catalog entry of a table; the first one's rows stay.
    """

    def __init__(self, key: str, tables: Mapping[str, Mapping[str, Any]]) -> None:
        self._key = key
        self._parts = make_parts(tables)
        if len(self._parts) < 2:
            raise ConfigError("tables: a single table has nothing to be joined with")

    def load(self) -> "DataFrame":
        """Return the joined table; one Spark job for each table beside the first looks at its keys.

        Raises:
            DataError: A table lacks the key or has it twice, its type or other columns clash.
        """
        frames = load_parts(self._parts)
        for name, frame in frames.items():
            if self._key not in frame.columns:
                told = ", ".join(frame.columns)
                raise DataError(f"table {name} lacks the key {self._key!r}; its columns are {told}")
        check_types(self._key, frames)
        (_, found), *others = frames.items()
        for name, frame in others:
            self._check(name, frame, found)
            found = found.join(frame, self._key, "left")
        return found

    def _check(self, name: str, frame: "DataFrame", joined: "DataFrame") -> None:
        if twice := sorted(set(frame.columns) & set(joined.columns) - {self._key}):
            raise DataError(
                f"table {name} has {', '.join(twice)}, as a table before it has: leave one out"
            )
        known = frame.where(f"`{self._key}` IS NOT NULL")
        repeated = known.groupBy(self._key).count().where("count > 1").first()
        if repeated:
            raise DataError(
                f"table {name} has {repeated[1]} rows of {self._key} {repeated[0]!r}: "
                "beside others it may have one row a key"
            )

    def _describe(self) -> dict[str, str]:
        return {"key": self._key, "tables": ", ".join(self._parts)}
