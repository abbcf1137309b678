"""Sources of several CSV files: their headers must be compared, which Spark does when asked to."""

from typing import Any

from pyspark.sql import DataFrame

from reclife.errors import DataError
from reclife.runtime.spark import session


def check_headers(name: str, raw: DataFrame) -> None:
    """Refuse CSV files of which Spark would take the first one's header for that of all.

    A file with its columns in another order would be read into the wrong ones otherwise.

    Raises:
        DataError: `raw` is read from several files with headers that nobody compares.
    """
    for files, options in _csv_sources(raw):
        compared = options.get("enforceschema", "true").lower() == "false"
        if files > 1 and options.get("header", "false").lower() == "true" and not compared:
            raise DataError(
                f"{name} is {files} CSV files, and Spark would read all of them by the header of "
                "one: add `enforceSchema: false` to load_args in the catalog, and headers that "
                "differ are refused"
            )


def _csv_sources(raw: DataFrame) -> list[tuple[int, dict[str, str]]]:
    """Return the number of files and the options, by lower-case name, of every CSV source."""
    frame: Any = raw._jdf  # noqa: SLF001
    leaves = frame.queryExecution().analyzed().collectLeaves()
    relations = [
        leaf.relation()
        for leaf in (leaves.apply(number) for number in range(leaves.size()))
        if leaf.getClass().getSimpleName() == "LogicalRelation"
    ]
    return [
        (len(one.location().inputFiles()), _options(one.options()))
        for one in relations
        if one.getClass().getSimpleName() == "HadoopFsRelation"
        and one.fileFormat().toString() == "CSV"
    ]


def _options(options: object) -> dict[str, str]:
    java: Any = session()._jvm  # noqa: SLF001
    found = java.scala.jdk.javaapi.CollectionConverters.asJava(options)
    return {str(name).lower(): str(found[name]) for name in found}
