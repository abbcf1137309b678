"""From examples to a trained model: fit with early stopping, then, when declared, fit again."""

import hashlib
import logging
from pathlib import Path
from typing import NamedTuple, final

import numpy as np
import pyarrow as pa
import tensorflow as tf

from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec, TrainingReport, digest
from reclife.errors import TrainingError
from reclife.models import build
from reclife.models.ranking import RankingModel
from reclife.runtime.seeds import derive
from reclife.training.checkpoints import Checkpoint, Checkpoints, Phase, Progress
from reclife.training.examples import Batches, Examples
from reclife.training.logs import Scalars
from reclife.training.loop import Loop
from reclife.training.stopping import best_epoch
from reclife.training.trainer import Trainer

_LOG = logging.getLogger(__name__)


class Trained(NamedTuple):
    """A trained model and the account of its training."""

    model: RankingModel
    report: TrainingReport


def train(
    config: TrainingConfig,
    spec: FeatureSpec,
    train_table: pa.Table,
    validation_table: pa.Table,
    *,
    run_id: str,
    checkpoints: Path,
    logs: Path,
) -> Trained:
    """Train the declared model, going on from a checkpoint of the same training if there is one.

    The same declaration, data and machine give the same weights, bit for bit: every random number
    has a declared seed, and TensorFlow is switched to deterministic kernels for this process.

    Args:
        config: The declaration.
        spec: The schema of the tables.
        train_table: What the weights are fitted to.
        validation_table: What the number of epochs is chosen on; may be empty.
        run_id: Recorded in the report.
        checkpoints: Folder that survives a restart.
        logs: Folder for TensorBoard.

    Raises:
        TrainingError: There is nothing to train on, or the loss is not finite.
        DataError: A column breaks its declaration.
    """
    tf.config.experimental.enable_op_determinism()
    return _Training(config, spec, train_table, validation_table, checkpoints).run(run_id, logs)


@final
class _Training:
    def __init__(
        self,
        config: TrainingConfig,
        spec: FeatureSpec,
        train_table: pa.Table,
        validation_table: pa.Table,
        folder: Path,
    ) -> None:
        self._config = config
        self._spec = spec
        features = build(config.model, spec, config.seed).features
        self._train = Examples.from_table(train_table, features, spec)
        self._validation = Examples.from_table(validation_table, features, spec)
        _check(self._train, [feature.name for feature in features if feature.table is None])
        identity = _identity(config, spec, self._train, self._validation)
        self._checkpoints = Checkpoints(folder, identity, config.checkpoint.keep)

    def run(self, run_id: str, logs: Path) -> Trained:
        saved = self._checkpoints.latest()
        if saved is not None:
            _LOG.info("Training goes on after step %d.", saved.progress.step)
        with Scalars(logs) as scalars:
            model, progress = self._fit(saved, scalars)
            best = self._best(progress)
            if self._config.refit and len(self._validation):
                model, progress = self._refit(best, progress, saved, scalars)
        return Trained(model, self._report(run_id, model, best, progress))

    def _fit(self, saved: Checkpoint | None, scalars: Scalars) -> tuple[RankingModel, Progress]:
        loop = self._loop("fit", self._train, self._config.epochs, scalars)
        if saved is not None and saved.progress.phase == "refit":
            return loop.trainer.model, saved.progress
        return loop.trainer.model, loop.run(Progress(), saved)

    def _refit(
        self, epochs: int, fitted: Progress, saved: Checkpoint | None, scalars: Scalars
    ) -> tuple[RankingModel, Progress]:
        examples = self._train.followed_by(self._validation)
        loop = self._loop("refit", examples, epochs, scalars)
        start = Progress(phase="refit", step=fitted.step, epochs=fitted.epochs)
        resumed = saved if saved is not None and saved.progress.phase == "refit" else None
        return loop.trainer.model, loop.run(start, resumed)

    def _loop(self, phase: Phase, examples: Examples, epochs: int, scalars: Scalars) -> Loop:
        judged = phase == "fit" and len(self._validation) > 0
        seed = derive(self._config.seed, phase)
        return Loop(
            trainer=Trainer(build(self._config.model, self._spec, seed), self._config),
            batches=Batches(examples, self._config.batch_size, seed),
            validation=self._validation if judged else None,
            epochs=epochs,
            config=self._config,
            checkpoints=self._checkpoints,
            scalars=scalars,
        )

    def _best(self, progress: Progress) -> int:
        rows = [row for row in progress.epochs if row.phase == "fit"]
        return best_epoch(rows, self._config.early_stopping)

    def _report(
        self, run_id: str, model: RankingModel, best: int, progress: Progress
    ) -> TrainingReport:
        chosen = next(r for r in progress.epochs if r.phase == "fit" and r.epoch == best)
        values = {"auc": chosen.validation_auc, "logloss": chosen.validation_logloss}
        used = tuple(feature.name for feature in model.features)
        refits = sum(row.phase == "refit" for row in progress.epochs)
        rows = len(self._train) * len(progress.epochs) + len(self._validation) * refits
        seconds = sum(row.seconds for row in progress.epochs)
        return TrainingReport(
            run_id=run_id,
            model_kind=self._config.model.root.kind,
            seed=self._config.seed,
            spec_hash=self._spec.hash,
            epochs=progress.epochs,
            best_epoch=best,
            refitted=refits > 0,
            steps=progress.step,
            rows=rows,
            seconds=seconds,
            rows_per_second=rows / seconds,
            parameters=model.parameter_count(),
            used_features=used,
            unused_features=tuple(f.name for f in self._spec.features if f.name not in used),
            validation={name: value for name, value in values.items() if value is not None},
        )


def _check(examples: Examples, numeric: list[str]) -> None:
    if len(examples) == 0:
        raise TrainingError("There are no training examples: look at the split of the features.")
    if len(np.unique(examples.labels)) < 2:
        raise TrainingError(
            f"All {len(examples)} training examples have the label {examples.labels[0]:g}: there "
            "is nothing to tell apart. Declare which events are positive."
        )
    for name in numeric:
        values = examples.inputs[name]
        if (values == values[:1]).all():
            _LOG.warning(
                "Feature %r is constant in the training examples: it teaches nothing, and another "
                "value later would be far outside of what the model has seen. Exclude it.",
                name,
            )


def _identity(config: TrainingConfig, spec: FeatureSpec, *parts: Examples) -> str:
    content = hashlib.sha256()
    for part in parts:
        for name in sorted(part.inputs):
            content.update(part.inputs[name].tobytes())
        content.update(part.labels.tobytes())
        content.update(part.weights.tobytes())
    declared = config.model_dump(mode="json", exclude={"candidates", "checkpoint"})
    return digest([declared, spec.hash, content.hexdigest()])
