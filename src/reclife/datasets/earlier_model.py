"""The trained model that a run's training goes on from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, final

from reclife.datasets.bundle import Bundle
from reclife.datasets.read_only import ReadOnly
from reclife.errors import ArtifactError
from reclife.runtime.files import sha256_of
from reclife.runtime.project import project_path


class Earlier(NamedTuple):
    """The folder of a trained model and that of the feature state it was trained on."""

    model: Path
    state: Path


@final
class EarlierModel(ReadOnly[Earlier | None]):
    """The model behind a bundle; loads as None as long as there is no bundle.

    Args:
        pointer: The file that names the bundle, relative to the project.
        models: The folder of a run's model, relative to the project, with `{run_id}` in it.
    """

    def __init__(self, pointer: str, models: str) -> None:
        self._pointer = pointer
        self._models = models

    def load(self) -> Earlier | None:
        """Return the folders, after checking the bundle against its manifest.

        Raises:
            ArtifactError: A file of the bundle is missing, foreign or changed, or its model is.
        """
        bundle = Bundle.named_by(self._pointer)
        return Earlier(self._model(bundle), bundle.state) if bundle else None

    def lineage(self) -> Mapping[str, str]:
        """Return the model's content hash, named by the run that trained it."""
        bundle = Bundle.named_by(self._pointer)
        if bundle is None:
            return {}
        return {f"{bundle.manifest.run_id}:training/model": sha256_of(self._model(bundle))}

    def _model(self, bundle: Bundle) -> Path:
        run = bundle.manifest.run_id
        folder = project_path() / self._models.format(run_id=run)
        if not folder.is_dir():
            raise ArtifactError(
                f"The model of run {run}, which the bundle {bundle.folder} was made of, is not in "
                f"{folder}: bring it back, or let training start afresh (warm_start: null)."
            )
        return folder

    def _describe(self) -> dict[str, Any]:
        return {"pointer": self._pointer, "models": self._models}
