"""Staged training: a list of trainings, each going on from the weights of the one before.

A stage that is done is kept, with its weights, below the checkpoints; one that was interrupted goes
on at its exact step.
"""

import hashlib
import logging
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import final

import pyarrow as pa

from reclife.config.stages import StageConfig
from reclife.config.training import TrainingConfig, of_stage
from reclife.contracts import Contract, FeatureSpec, StageRow, TrainingReport, digest
from reclife.errors import ArtifactError, ConfigError
from reclife.models.saved import read_weights
from reclife.training.outcome import Outcome
from reclife.training.stage_rows import chosen
from reclife.training.warm_start import Start

_LOG = logging.getLogger(__name__)


Run = Callable[[TrainingConfig, pa.Table, Start | None, Path, Path], Outcome]
"""Trains as declared, on a table, from somewhere, with folders for checkpoints and logs."""


@final
class Done(Contract):
    """`stage.json`: a stage that is over; `key` is a hash of all that its weights follow from."""

    key: str
    report: TrainingReport


@final
@dataclass(frozen=True)
class Staged:
    """The stages of one training.

    Args:
        config: The declaration, with its stages.
        spec: The schema of the examples.
        folder: A folder that survives a restart.
        logs: Folder for TensorBoard.
        run: Does one training.
    """

    config: TrainingConfig
    spec: FeatureSpec
    folder: Path
    logs: Path
    run: Run

    def train(self, table: pa.Table, start: Start | None) -> Outcome:
        """Train stage after stage on `table`, the first one from `start`."""
        content, rows, reports = _content(table), [], []
        for number, stage in enumerate(self.config.stages):
            declared, last = of_stage(self.config, stage), self.folder / f"{number}-{stage.name}"
            examples = chosen(table, stage.rows, self.spec, declared.seed)
            if not len(examples):
                raise ConfigError(
                    f"training.stages: stage {stage.name!r} has none of the {len(table)} examples: "
                    "look at its rows."
                )
            _LOG.info("Stage %s: %d of %d examples.", stage.name, len(examples), len(table))
            key = digest(
                [
                    declared.model_dump(mode="json", exclude={"candidates", "watch", "checkpoint"}),
                    self.spec.hash,
                    content,
                    start.identity if start else None,
                ]
            )
            report = self._stage(last, key, declared, examples, start, self.logs / stage.name)
            start = Start(read_weights(last / "model")[0])
            reports.append(report)
            rows.append(_row(stage, declared, len(examples), report))
        return Outcome(partial(_copy, last / "model"), _together(reports, rows))

    def _stage(
        self,
        folder: Path,
        key: str,
        declared: TrainingConfig,
        examples: pa.Table,
        start: Start | None,
        logs: Path,
    ) -> TrainingReport:
        try:
            done = Done.read(folder / "stage.json")
        except (OSError, ArtifactError):
            done = None
        if done is not None and done.key == key:
            return done.report
        outcome = self.run(declared, examples, start, folder / "checkpoints", logs)
        shutil.rmtree(folder / "model", ignore_errors=True)
        outcome.write(folder / "model")
        described = Done(key=key, report=outcome.report).model_dump_json()
        writing = folder / ".stage.json"
        writing.write_text(described, encoding="utf-8")
        writing.rename(folder / "stage.json")
        return outcome.report


def _content(table: pa.Table) -> str:
    content = hashlib.sha256()
    for name in table.column_names:
        content.update(name.encode())
        for chunk in table.column(name).combine_chunks().buffers() if len(table) else ():
            if chunk is not None:
                content.update(memoryview(chunk))
    return content.hexdigest()


def _row(
    stage: StageConfig, declared: TrainingConfig, examples: int, report: TrainingReport
) -> StageRow:
    return StageRow(
        stage=stage.name,
        trainable=stage.trainable,
        examples=examples,
        topology=declared.topology.kind,
        precision=declared.precision.kind,
        epochs=len(report.epochs),
        best_epoch=report.best_epoch,
        steps=report.steps,
        seconds=report.seconds,
        validation=report.validation,
    )


def _together(reports: list[TrainingReport], rows: Iterable[StageRow]) -> TrainingReport:
    """Return one report: the weights are those of the last stage."""
    rows = tuple(rows)
    seen, seconds = sum(r.rows for r in reports), sum(r.seconds for r in reports)
    return reports[-1].model_copy(
        update={
            "epochs": tuple(
                epoch.model_copy(update={"stage": row.stage})
                for row, report in zip(rows, reports, strict=True)
                for epoch in report.epochs
            ),
            "steps": sum(r.steps for r in reports),
            "rows": seen,
            "seconds": seconds,
            "rows_per_second": seen / seconds,
            "stages": rows,
        }
    )


def _copy(model: Path, target: Path) -> None:
    shutil.copytree(model, target, dirs_exist_ok=True)
