"""An optional source that this project does not have."""

from typing import final

from reclife.datasets.read_only import ReadOnly


@final
class Absent(ReadOnly[None]):
    """Stands in the catalog for an optional source that is not there; loads as None."""

    def load(self) -> None:
        """Return nothing."""
