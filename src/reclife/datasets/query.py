"""A table that a query makes of others."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from reclife.datasets.parts import load_parts, make_parts
from reclife.datasets.read_only import ReadOnly
from reclife.errors import DataError
from reclife.runtime.spark import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@final
class Query(ReadOnly["DataFrame"]):
    """Loads what a Spark SQL query says of the tables, which it names in braces.

    ::

        raw_interactions:
          type: reclife.datasets.query.Query
          sql: >-
            SELECT clicks.*, pages.topic FROM {clicks} AS clicks JOIN {pages} AS pages USING (page)
          tables:
            clicks: {type: spark.SparkDatasetV2, filepath: data/01_raw/clicks, file_format: parquet}
            pages: {type: spark.SparkDatasetV2, filepath: data/01_raw/pages, file_format: parquet}

    Args:
        sql: The query; lengths of time, functions and types as Spark has them.
        tables: Name -> catalog entry of a table.
    """

    def __init__(self, sql: str, tables: Mapping[str, Mapping[str, Any]]) -> None:
        self._sql = sql
        self._parts = make_parts(tables)

    def load(self) -> "DataFrame":
        """Return the query's table, lazily.

        Raises:
            DataError: Spark cannot read the query, or it names a table or column there is not.
        """
        from pyspark.errors import AnalysisException, ParseException

        frames = load_parts(self._parts)
        try:
            return session().sql(self._sql, args=None, **frames)
        except KeyError as missing:
            told = ", ".join(self._parts)
            raise DataError(f"sql: {{{missing.args[0]}}} is not among the tables: {told}") from None
        except (AnalysisException, ParseException) as problem:
            said = (problem.getMessage() or str(problem)).splitlines()[0]
            raise DataError(f"sql: {said}") from None

    def _describe(self) -> dict[str, str]:
        return {"tables": ", ".join(self._parts)}
