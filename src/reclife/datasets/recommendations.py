"""The recommendations of a run: staged, and published once validated."""

from typing import TYPE_CHECKING, final

from reclife.contracts import ScoringReport
from reclife.datasets.artifact import RunArtifact
from reclife.datasets.publication import publish
from reclife.datasets.spark_table import read_parquet, write_parquet
from reclife.errors import ArtifactError
from reclife.runtime.project import project_path
from reclife.runtime.run import current_run_id, run_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@final
class Recommendations(RunArtifact["DataFrame", "DataFrame"]):
    """A Parquet table, staged under the run; `publish` names the folder of the published ones."""

    def load(self) -> "DataFrame":
        """Return the staged table, lazily."""
        return read_parquet(self.location)

    def save(self, data: "DataFrame") -> None:
        """Write the staged table."""
        write_parquet(data, self.location)

    def publish(self) -> None:
        """Put the staged table in the place of its date, and point to it."""
        if self.publish_to is None:
            raise ArtifactError(f"{self.template}: the catalog entry names no folder (`publish`).")
        run_id = current_run_id()
        report = ScoringReport.read(run_folder(run_id) / "scoring.json")
        publish(self.location, project_path() / self.publish_to, report.date, run_id)
