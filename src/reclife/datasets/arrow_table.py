"""A Parquet table read, or written, in process."""

import shutil
from typing import TYPE_CHECKING, final

from reclife.datasets.artifact import RunArtifact
from reclife.errors import ArtifactError
from reclife.runtime.files import files_under

if TYPE_CHECKING:
    import pyarrow as pa


@final
class ArrowTable(RunArtifact["pa.Table", "pa.Table"]):
    """A table of the run as a `pyarrow.Table`."""

    def load(self) -> "pa.Table":
        """Return the whole table; parts are read in the order of their number."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        files = files_under(self.location)
        if not files:
            raise ArtifactError(f"{self.location} holds no Parquet file; run its stage again.")
        return pa.concat_tables([pq.read_table(file, partitioning=None) for file in files])

    def save(self, data: "pa.Table") -> None:
        """Write the table as one Parquet file."""
        import pyarrow.parquet as pq

        shutil.rmtree(self.location, ignore_errors=True)
        self.location.mkdir(parents=True)
        pq.write_table(data, self.location / "part-00000.parquet", compression="zstd")
