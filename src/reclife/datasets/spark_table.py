"""A Parquet table written and read by Spark."""

from pathlib import Path
from typing import TYPE_CHECKING, final

from reclife.datasets.artifact import RunArtifact
from reclife.runtime.spark import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def read_parquet(folder: Path) -> "DataFrame":
    """Return the table that lies in `folder`, lazily."""
    return session().read.parquet(str(folder))


def write_parquet(frame: "DataFrame", folder: Path) -> None:
    """Write `frame` into `folder`, replacing an earlier attempt."""
    frame.write.mode("overwrite").parquet(str(folder))


@final
class SparkTable(RunArtifact["DataFrame", "DataFrame"]):
    """A table of the run as a Spark DataFrame."""

    def load(self) -> "DataFrame":
        """Return the table, lazily."""
        return read_parquet(self.location)

    def save(self, data: "DataFrame") -> None:
        """Write the table as Parquet."""
        write_parquet(data, self.location)
