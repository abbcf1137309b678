"""The base of catalog entries that can only be read."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from kedro.io import AbstractDataset

from reclife.errors import ArtifactError

Loaded = TypeVar("Loaded")


class ReadOnly(AbstractDataset[None, Loaded]):
    """A dataset that refuses to be written."""

    @abstractmethod
    def load(self) -> Loaded:
        """Read the data."""

    def lineage(self) -> Mapping[str, str]:
        """Return what the reading stage's record notes of it: names to content hashes."""
        return {}

    def save(self, data: None) -> NoReturn:  # noqa: ARG002 - the signature is Kedro's
        """Refuse."""
        raise ArtifactError(f"A {type(self).__name__} dataset can only be read.")

    def _describe(self) -> dict[str, Any]:
        return {}
