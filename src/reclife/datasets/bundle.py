"""The bundle's format: where its parts lie, how it is sealed, the check before it is read."""

from datetime import UTC, datetime
from pathlib import Path
from typing import final

from reclife.contracts import (
    BundleFile,
    BundleManifest,
    Calibration,
    Calibrations,
    FeatureSpec,
    Origin,
    Pointer,
    Task,
)
from reclife.errors import ArtifactError
from reclife.runtime.files import files_under, sha256_of_file, write_atomically
from reclife.runtime.project import project_path

MANIFEST = "manifest.json"
SPEC = "feature_spec.json"
STATE = "feature_state"
CANDIDATES = "candidates"
GOLDEN = "golden.parquet"
ITEMS = "items.parquet"
EVALUATION = "evaluation.json"
COMPRESSION = "compression.json"
PARITY = "parity.json"
CALIBRATION = "calibration.json"

SCORE = "score"
"""Name of a graph's first output, and of the golden rows' column with its values."""
ORIGINAL_SCORE = "original_score"
"""The golden rows' column with the scores before compression."""


def outputs(tasks: tuple[Task, ...]) -> tuple[str, ...]:
    """Return the names of a graph's outputs, one a task: `score`, then `score_<task>`."""
    return (SCORE, *(f"{SCORE}_{task.name}" for task in tasks[1:]))


@final
class Bundle:
    """A sealed bundle whose every file has been checked against the manifest."""

    def __init__(self, folder: Path, manifest: BundleManifest) -> None:
        self.folder = folder
        self.manifest = manifest

    @classmethod
    def open(cls, folder: Path) -> "Bundle":
        """Check the bundle in `folder` and return it.

        Raises:
            ArtifactError: The export did not finish, or a file is missing, foreign or changed.
        """
        bundle = cls(folder, _read_manifest(folder))
        _check_files(folder, bundle.manifest)
        if bundle.spec().hash != bundle.manifest.spec_hash:
            raise ArtifactError(
                f"Bundle {folder}: {SPEC} is not the specification that the manifest names; "
                "export again: `kedro run --pipelines export`."
            )
        return bundle

    @classmethod
    def named_by(cls, pointer: str) -> "Bundle | None":
        """Check the bundle that a pointer file names, and return it; None without such a file.

        Args:
            pointer: The file, from the project's folder.

        Raises:
            ArtifactError: As in `open`.
        """
        path = project_path() / pointer
        return cls.open(project_path() / Pointer.read(path).path) if path.exists() else None

    @property
    def graph(self) -> Path:
        """The ONNX graph to score with."""
        return self.folder / self.manifest.graph

    @property
    def graph_hash(self) -> str:
        """The sha256 of the graph to score with."""
        return next(f.sha256 for f in self.manifest.files if f.path == self.manifest.graph)

    @property
    def state(self) -> Path:
        """The folder of the fitted feature state."""
        return self.folder / STATE

    @property
    def candidates(self) -> Path:
        """The folder of the fitted candidate source."""
        return self.folder / CANDIDATES

    @property
    def golden(self) -> Path:
        """Rows with the scores that the graph gave at export."""
        return self.folder / GOLDEN

    @property
    def items(self) -> Path:
        """The items at export: `item_id` and, where there is one, `title`."""
        return self.folder / ITEMS

    def spec(self) -> FeatureSpec:
        """Read the feature specification."""
        return FeatureSpec.read(self.folder / SPEC)

    def calibration(self) -> Calibration | None:
        """Read the map of the first task's chance, which `score` is; None where there is none."""
        path = self.folder / CALIBRATION
        maps = Calibrations.read(path).tasks if path.exists() else {}
        return maps.get(self.spec().tasks[0].name)


def seal(folder: Path, origin: Origin, model_kind: str, graph: str, spec_hash: str) -> None:
    """Write the manifest over everything in `folder`; a bundle without one is never read."""
    manifest = BundleManifest(
        **origin.model_dump(),
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        model_kind=model_kind,
        graph=graph,
        spec_hash=spec_hash,
        files=tuple(
            BundleFile(
                path=file.relative_to(folder).as_posix(),
                bytes=file.stat().st_size,
                sha256=sha256_of_file(file),
            )
            for file in files_under(folder)
        ),
    )
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=2) + "\n")


def _read_manifest(folder: Path) -> BundleManifest:
    try:
        return BundleManifest.read(folder / MANIFEST)
    except FileNotFoundError:
        raise ArtifactError(
            f"Bundle {folder} has no {MANIFEST}: its export did not finish; "
            "run it again: `kedro run --pipelines export`."
        ) from None
    except ArtifactError as error:
        raise ArtifactError(
            f"Bundle {folder}: {MANIFEST} is damaged; export again: `kedro run --pipelines export`."
        ) from error


def _check_files(folder: Path, manifest: BundleManifest) -> None:
    listed = {file.path: file for file in manifest.files}
    present = {file.relative_to(folder).as_posix(): file for file in files_under(folder)}
    present.pop(MANIFEST, None)
    problems = [f"{path} is missing" for path in sorted(listed.keys() - present.keys())]
    problems += [f"{path} does not belong to it" for path in sorted(present.keys() - listed.keys())]
    for path in sorted(listed.keys() & present.keys()):
        if present[path].stat().st_size != listed[path].bytes:
            problems.append(f"{path} has another size than when it was exported")
        elif sha256_of_file(present[path]) != listed[path].sha256:
            problems.append(f"{path} was changed or swapped since the export")
    if problems:
        raise ArtifactError(
            f"Bundle {folder} is refused: {'; '.join(problems)}; "
            "export again: `kedro run --pipelines export`."
        )
