"""From examples to a trained model: fit with early stopping, then, when declared, fit again."""

import hashlib
import logging
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, final

import pyarrow as pa
import tensorflow as tf
from numpy.typing import NDArray

from reclife.config.training import TrainingConfig
from reclife.contracts import FeatureSpec, TrainingReport, digest
from reclife.models import build
from reclife.models.ranking import RankingModel
from reclife.runtime.seeds import derive
from reclife.training.checkpoints import Checkpoint, Checkpoints, Phase, Progress
from reclife.training.eagerly import running_eagerly
from reclife.training.examples import Batches, Examples
from reclife.training.failure import Failure
from reclife.training.judges import check_judges, check_schedules, check_tasks, warm_ups
from reclife.training.learnable import check_examples, learnt_by
from reclife.training.logs import Scalars
from reclife.training.loop import Loop
from reclife.training.replicas import Alone
from reclife.training.saving import Saving
from reclife.training.stopping import best_epoch
from reclife.training.synchronous import synchronous
from reclife.training.trainer import Trainer
from reclife.training.warm_start import Start, begin, keep_optimizer
from reclife.training.watch import Watch

Array = NDArray[Any]

_LOG = logging.getLogger(__name__)
_WITHOUT_WEIGHT = ("candidates", "checkpoint", "watch", "topology", "probe", "warm_start")
"""What is declared beside the weights: a training goes on where it was, whatever they become."""


MakeTrainer = Callable[[TrainingConfig, FeatureSpec, int], Trainer]
"""From the declaration, the schema and a seed to what does the steps of one phase."""


class Trained(NamedTuple):
    """A trained model and the account of its training."""

    model: RankingModel
    report: TrainingReport
    optimizer: dict[str, Array]
    """What a later training that starts from it knows of its optimisers; empty unless declared."""


def train(
    config: TrainingConfig,
    spec: FeatureSpec,
    train_table: pa.Table,
    validation_table: pa.Table,
    *,
    run_id: str,
    checkpoints: Path,
    logs: Path,
    trainers: MakeTrainer | None = None,
    start: Start | None = None,
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
        trainers: What does the steps; None: this process alone.
        start: What the weights start from; None: as the seed draws them.

    Raises:
        ConfigError: A task is named that the model does not predict, or a schedule does not fit.
        TrainingError: There is nothing to train on, or the loss is not finite.
        DataError: A column breaks its declaration.
    """
    tf.config.experimental.enable_op_determinism()
    table = pa.concat_tables([train_table, validation_table], promote_options="permissive")
    training = _Training(
        config,
        spec,
        table,
        train_table.num_rows,
        checkpoints=checkpoints,
        logs=logs,
        trainers=trainers or synchronous(Alone()),
        start=start,
    )
    with running_eagerly(config.run_eagerly):
        return training.run(run_id)


@final
class _Training:
    """The training of a model on `table`, whose first `rows` rows are not for validation."""

    def __init__(
        self,
        config: TrainingConfig,
        spec: FeatureSpec,
        table: pa.Table,
        rows: int,
        *,
        checkpoints: Path,
        logs: Path,
        trainers: MakeTrainer,
        start: Start | None,
    ) -> None:
        self._config = config
        self._start = start
        self._trainers = trainers
        self._declared = spec
        self._logs = logs
        self._watch = Watch(config.watch)
        model = build(config.model, spec, config.seed)
        features = model.features
        self._spec = learnt = learnt_by(model, spec)
        check_tasks(config, learnt.tasks)
        self._all = Examples.from_table(table, features, learnt, config.objective)
        self._failure = Failure(table, self._all, logs)
        self._train, self._validation = self._all.split(rows)
        check_examples(self._train, features, learnt.tasks, config.objective)
        check_judges(config, self._validation, learnt.tasks)
        check_schedules(config, config.epochs * math.ceil(rows / config.batch_size))
        identity = _identity(config, spec, rows, self._all, start)
        self._checkpoints = Checkpoints(checkpoints, identity, config.checkpoint.keep)

    def run(self, run_id: str) -> Trained:
        saved = self._checkpoints.latest()
        if saved is not None:
            _LOG.info("Training goes on after step %d.", saved.progress.step)
        with Scalars(self._logs) as scalars:
            trainer, progress = self._fit(saved, scalars)
            best, before = self._best(progress), 0
            if self._config.refit and len(self._validation):
                before = progress.step
                trainer, progress = self._refit(best, progress, saved, scalars)
        warm, optimizer = self._config.warm_start, dict[str, Array]()
        if warm is not None and warm.optimizer:
            optimizer = keep_optimizer(trainer, progress.step - before)
        report = self._report(run_id, trainer.model, best, progress)
        return Trained(trainer.model, report, optimizer)

    def _fit(self, saved: Checkpoint | None, scalars: Scalars) -> tuple[Trainer, Progress]:
        loop = self._loop("fit", self._train, self._config.epochs, scalars, saved)
        if saved is not None and saved.progress.phase == "refit":
            return loop.trainer, saved.progress
        return loop.trainer, loop.run(Progress(), saved)

    def _refit(
        self, epochs: int, fitted: Progress, saved: Checkpoint | None, scalars: Scalars
    ) -> tuple[Trainer, Progress]:
        resumed = saved if saved is not None and saved.progress.phase == "refit" else None
        loop = self._loop("refit", self._all, epochs, scalars, resumed)
        for problem in warm_ups(self._config, epochs * len(loop.batches)):
            _LOG.warning("In the refit: %s.", problem)
        start = Progress(
            phase="refit", step=fitted.step, epochs=fitted.epochs, repeated=fitted.repeated
        )
        return loop.trainer, loop.run(start, resumed)

    def _loop(
        self,
        phase: Phase,
        examples: Examples,
        epochs: int,
        scalars: Scalars,
        saved: Checkpoint | None,
    ) -> Loop:
        judged = phase == "fit" and len(self._validation) > 0
        seed = derive(self._config.seed, phase)
        trainer = self._trainers(self._config, self._spec, seed)
        if self._start is not None and saved is None:
            begin(trainer, self._start)
        return Loop(
            trainer=trainer,
            batches=Batches(examples, self._config.batch_size, seed, trainer.grouped),
            validation=self._validation if judged else None,
            epochs=epochs,
            config=self._config,
            checkpoints=self._checkpoints,
            saving=Saving(self._config.checkpoint),
            scalars=scalars,
            watch=self._watch,
            failure=self._failure,
        )

    def _best(self, progress: Progress) -> int:
        rows = [row for row in progress.epochs if row.phase == "fit"]
        return best_epoch(rows, self._config.early_stopping)

    def _report(
        self, run_id: str, model: RankingModel, best: int, progress: Progress
    ) -> TrainingReport:
        chosen = next(r for r in progress.epochs if r.phase == "fit" and r.epoch == best)
        used = tuple(feature.name for feature in model.features)
        refits = sum(row.phase == "refit" for row in progress.epochs)
        rows = len(self._train) * len(progress.epochs) + len(self._validation) * refits
        seconds = sum(row.seconds for row in progress.epochs)
        return TrainingReport(
            run_id=run_id,
            model_kind=self._config.model.root.kind,
            seed=self._config.seed,
            spec_hash=self._declared.hash,
            epochs=progress.epochs,
            best_epoch=best,
            refitted=refits > 0,
            steps=progress.step,
            repeated_steps=progress.repeated,
            rows=rows,
            seconds=seconds,
            rows_per_second=rows / seconds,
            parameters=model.parameter_count(),
            leaking=self._spec.leaking,
            used_features=used,
            unused_features=tuple(f.name for f in self._spec.features if f.name not in used),
            validation=chosen.validation,
        )


def _identity(
    config: TrainingConfig, spec: FeatureSpec, rows: int, examples: Examples, start: Start | None
) -> str:
    content = hashlib.sha256()
    for name in sorted(examples.inputs):
        content.update(examples.inputs[name].tobytes())
    for array in (examples.labels, examples.weights, examples.groups):
        content.update(array.tobytes())
    declared = config.model_dump(mode="json", exclude=set(_WITHOUT_WEIGHT))
    started = [] if start is None else [start.identity]
    return digest([declared, spec.hash, rows, content.hexdigest(), *started])
