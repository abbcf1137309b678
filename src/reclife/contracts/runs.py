"""Runs: what they set out to do, proof of what they finished, where their artefacts come from."""

from reclife.contracts.base import Contract
from reclife.contracts.stages import Stage


class Artifact(Contract):
    """What a completion record vouches for: one dataset of a stage."""

    path: str
    files: int
    bytes: int
    rows: int | None
    sha256: str


class CompletionRecord(Contract):
    """Proof that a stage finished: what it read and wrote, with which code and configuration."""

    run_id: str
    stage: Stage
    finished_at: str
    seconds: float
    code_version: str
    config_hash: str
    inputs: dict[str, str]
    outputs: dict[str, Artifact]


class RunInfo(Contract):
    """`run.json`: what a run set out to do."""

    run_id: str
    lifecycle: str
    env: str | None
    started_at: str


class Origin(Contract):
    """Where a run's artefacts come from: identity of the run, its code, configuration and data."""

    run_id: str
    code_version: str
    config_hash: str
    data_fingerprint: str


class Pointer(Contract):
    """A small file, written last, that names what is current or published.

    `path` is relative to the project's folder.
    """

    run_id: str
    path: str
