"""A Parquet table written and read by Spark."""

from typing import TYPE_CHECKING, final

from reclife.datasets.artifact import RunArtifact
from reclife.runtime.spark import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@final
class SparkTable(RunArtifact["DataFrame", "DataFrame"]):
    """A table of the run as a Spark DataFrame."""

    def load(self) -> "DataFrame":
        """Return the table, lazily."""
        return session().read.parquet(str(self.location))

    def save(self, data: "DataFrame") -> None:
        """Write the table as Parquet."""
        data.write.mode("overwrite").parquet(str(self.location))
