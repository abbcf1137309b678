"""Completion records: the proof that a stage finished, and what of it may be read.

A stage without a record does not exist for its consumers. A record vouches for the content of
every output; a consumer checks the hash instead of validating again.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from reclife.contracts import Artifact, CompletionRecord, Stage, digest
from reclife.errors import ArtifactError
from reclife.runtime.files import files_under, sha256_of, sha256_of_file, write_atomically
from reclife.runtime.project import project_path
from reclife.runtime.run import run_folder


def record_path(run_id: str, stage: str) -> Path:
    """Return where the record of a run's stage lies."""
    return run_folder(run_id) / "records" / f"{stage}.json"


def find_record(run_id: str, stage: str) -> CompletionRecord | None:
    """Return the record of a run's stage, or None when the stage has not finished."""
    path = record_path(run_id, stage)
    return CompletionRecord.read(path) if path.exists() else None


def withdraw(run_id: str, stage: Stage) -> None:
    """Take back a stage's record, before the stage runs again."""
    record_path(run_id, stage).unlink(missing_ok=True)


def commit(
    run_id: str,
    stage: Stage,
    outputs: Mapping[str, Path],
    inputs: Mapping[str, str],
    config_hash: str,
    seconds: float,
) -> CompletionRecord:
    """Write the record of a stage that has finished and been validated.

    Args:
        run_id: The run.
        stage: The stage that finished.
        outputs: Dataset name to where it lies.
        inputs: Dataset name to the content hash that was read.
        config_hash: Hash of the stage's declaration.
        seconds: How long the stage took.
    """
    record = CompletionRecord(
        run_id=run_id,
        stage=stage,
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        code_version=code_version(),
        config_hash=config_hash,
        inputs=dict(inputs),
        outputs={name: describe(path) for name, path in sorted(outputs.items())},
    )
    write_atomically(record_path(run_id, stage), record.model_dump_json(indent=2))
    return record


def describe(path: Path) -> Artifact:
    """Return what a record says of the artefact at `path`."""
    files = files_under(path)
    return Artifact(
        path=path.relative_to(project_path()).as_posix(),
        files=len(files),
        bytes=sum(file.stat().st_size for file in files),
        rows=_parquet_rows(files),
        sha256=sha256_of(path),
    )


def vouched(run_id: str, stage: Stage, dataset: str, path: Path) -> Artifact:
    """Return the record's entry for `dataset`, after checking that its content is still the same.

    Raises:
        ArtifactError: The stage has not finished, or the artefact is missing or changed since.
    """
    record = find_record(run_id, stage)
    if record is None or dataset not in record.outputs:
        raise ArtifactError(
            f"{dataset}: stage {stage} of run {run_id} has not finished; "
            f"run it first: `kedro run --pipelines {stage}`."
        )
    artifact = record.outputs[dataset]
    if not path.exists() or sha256_of(path) != artifact.sha256:
        raise ArtifactError(
            f"{dataset}: {artifact.path} is missing or was changed after stage {stage} of run "
            f"{run_id} finished; run it again: `kedro run --pipelines {stage}`."
        )
    return artifact


def check_lineage(run_id: str, stage: Stage) -> None:
    """Check that `stage` was built from what the run's earlier stages hold now.

    Raises:
        ArtifactError: An earlier stage ran again since and wrote something else.
    """
    record = find_record(run_id, stage)
    for name, sha256 in (record.inputs if record else {}).items():
        producer, _, dataset = name.partition("/")
        upstream = find_record(run_id, producer)
        if upstream and dataset in upstream.outputs and upstream.outputs[dataset].sha256 != sha256:
            raise ArtifactError(
                f"Stage {stage} of run {run_id} used another {dataset} than stage {producer} "
                f"holds now; run it again: `kedro run --pipelines {stage}`."
            )


@cache
def code_version() -> str:
    """Return the package's version and a short hash over its source files."""
    from reclife import __version__

    spec = find_spec("reclife")
    root = Path(spec.origin).parent if spec and spec.origin else Path(__file__).parent.parent
    sources = {
        file.relative_to(root).as_posix(): sha256_of_file(file) for file in root.rglob("*.py")
    }
    return f"{__version__}+{digest(sources)[:12]}"


def _parquet_rows(files: list[Path]) -> int | None:
    if not files or any(file.suffix != ".parquet" for file in files):
        return None
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(file).num_rows for file in files)
