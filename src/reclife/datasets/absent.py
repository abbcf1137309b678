"""An optional source that this project does not have."""

from typing import Any, final

from kedro.io import AbstractDataset

from reclife.errors import ArtifactError


@final
class Absent(AbstractDataset[None, None]):
    """Stands in the catalog for an optional source that is not there; loads as None."""

    def load(self) -> None:
        """Return nothing."""

    def save(self, data: None) -> None:
        """Refuse: there is nowhere to write to."""
        raise ArtifactError("An absent source cannot be written.")

    def _describe(self) -> dict[str, Any]:
        return {}
