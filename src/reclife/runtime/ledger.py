"""Keeps the books of one run: what each stage read, how long it took, when it closed."""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import final

from reclife.contracts import CompletionRecord, Stage
from reclife.runtime.records import check_lineage, commit, vouched, withdraw


@final
class Ledger:
    """The books of the stages that run in this process.

    Args:
        run_id: The run.
        stages: The stages about to run; their earlier records are taken back.
        config_hashes: Hash of the declaration of each stage.
    """

    def __init__(
        self, run_id: str, stages: Iterable[Stage], config_hashes: Mapping[Stage, str]
    ) -> None:
        self.run_id = run_id
        self._stages = frozenset(stages)
        self._config_hashes = dict(config_hashes)
        self._started: dict[Stage, float] = {}
        self._inputs: dict[Stage, dict[str, str]] = {}
        self._checked: dict[str, str] = {}
        for stage in self._stages:
            withdraw(run_id, stage)

    def enter(self, stage: Stage) -> None:
        """Start the stage's clock, at its first node."""
        self._started.setdefault(stage, time.monotonic())

    def read(self, reader: Stage, producer: Stage, dataset: str, path: Path, run_id: str) -> None:
        """Check, once, that a record vouches for `dataset`, and note it as read by `reader`.

        Args:
            reader: The stage that reads.
            producer: The stage that wrote.
            dataset: Name of the dataset.
            path: Where it lies.
            run_id: The run it comes from; a stage of this very run only ever reads its own.

        Raises:
            ArtifactError: No record vouches for it, it was changed, or it is out of date.
        """
        self.enter(reader)
        owner = self.run_id if producer in self._stages else run_id
        key = f"{producer}/{dataset}"
        if key not in self._checked:
            self._checked[key] = vouched(owner, producer, dataset, path).sha256
            check_lineage(owner, producer)
        self._inputs.setdefault(reader, {})[key] = self._checked[key]

    def note(self, reader: Stage, lineage: Mapping[str, str]) -> None:
        """Note what `reader` read from outside the run, by name and content hash."""
        self._inputs.setdefault(reader, {}).update(lineage)

    def close(self, stage: Stage, outputs: Mapping[str, Path]) -> CompletionRecord:
        """Write the stage's completion record and return it."""
        return commit(
            self.run_id,
            stage,
            outputs,
            self._inputs.get(stage, {}),
            self._config_hashes[stage],
            time.monotonic() - self._started[stage],
        )
