"""The fitted feature state that a run's vocabularies grow from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from reclife.datasets.bundle import Bundle
from reclife.datasets.read_only import ReadOnly
from reclife.runtime.files import sha256_of


@final
class EarlierState(ReadOnly[Path | None]):
    """The feature state inside a bundle; loads as None as long as there is no bundle.

    Args:
        pointer: The file that names the bundle, relative to the project: that of the current
            bundle, or a copy of it that stays with one bundle.
    """

    def __init__(self, pointer: str) -> None:
        self._pointer = pointer

    def load(self) -> Path | None:
        """Return the state's folder, after checking the bundle against its manifest.

        Raises:
            ArtifactError: A file of the bundle is missing, foreign or changed.
        """
        bundle = Bundle.named_by(self._pointer)
        return bundle.state if bundle else None

    def lineage(self) -> Mapping[str, str]:
        """Return the state's content hash, named by the run that fitted it."""
        bundle = Bundle.named_by(self._pointer)
        if bundle is None:
            return {}
        return {f"{bundle.manifest.run_id}:features/feature_state": sha256_of(bundle.state)}

    def _describe(self) -> dict[str, Any]:
        return {"pointer": self._pointer}
