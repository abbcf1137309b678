"""Small files of a run: typed JSON documents and text."""

from typing import final

from reclife import contracts
from reclife.config.problems import nearest
from reclife.contracts import Contract, Stage
from reclife.datasets.artifact import RunArtifact
from reclife.errors import ArtifactError, ConfigError
from reclife.runtime.files import write_atomically


@final
class Document(RunArtifact[Contract, Contract]):
    """A JSON document of the run, typed by a class of `reclife.contracts`.

    Args:
        path: As for every artefact.
        stage: As for every artefact.
        contract: Name of the class.
        publish: As for every artefact.
        metadata: Passed through for kedro-viz.
    """

    def __init__(
        self,
        path: str,
        stage: Stage,
        contract: str,
        publish: str | None = None,
        metadata: dict[str, object] | None = None,
    ) -> None:
        super().__init__(path, stage, publish, metadata)
        found = getattr(contracts, contract, None)
        if not (isinstance(found, type) and issubclass(found, Contract)):
            known = [one.__name__ for one in Contract.__subclasses__()]
            raise ConfigError(f"unknown contract {contract!r}{nearest(contract, known)}")
        self._contract: type[Contract] = found

    def load(self) -> Contract:
        """Read and check the document."""
        if not self.location.exists():
            raise ArtifactError(f"{self.location} does not exist; run stage {self.stage} first.")
        return self._contract.read(self.location)

    def save(self, data: Contract) -> None:
        """Write the document."""
        write_atomically(self.location, data.model_dump_json(indent=2) + "\n")


@final
class Text(RunArtifact[str, str]):
    """A text file of the run, an HTML page for instance."""

    def load(self) -> str:
        """Return the text."""
        return self.location.read_text(encoding="utf-8")

    def save(self, data: str) -> None:
        """Write the text."""
        write_atomically(self.location, data)
