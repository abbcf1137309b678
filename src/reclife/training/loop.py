"""The epochs of one phase of training: steps, validation, checkpoints, early stopping."""

import time
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from reclife.config.training import TrainingConfig
from reclife.contracts import EpochRow
from reclife.errors import TrainingError
from reclife.metrics.classification import auc, logloss
from reclife.models.saved import predict_arrays, set_weights
from reclife.runtime.progress import track
from reclife.training.checkpoints import Checkpoint, Checkpoints, Progress
from reclife.training.examples import Batches, Examples
from reclife.training.logs import Scalars
from reclife.training.stopping import best_epoch, should_stop
from reclife.training.trainer import StepResult, Trainer

Array = NDArray[Any]

_BEST = "best/"


@final
@dataclass
class Loop:
    """Trains for at most `epochs` epochs and keeps the weights of the best one.

    Without `validation` there is nothing to judge by: all epochs are done, the last one is kept.
    """

    trainer: Trainer
    batches: Batches
    validation: Examples | None
    epochs: int
    config: TrainingConfig
    checkpoints: Checkpoints
    scalars: Scalars

    def run(self, start: Progress, saved: Checkpoint | None) -> Progress:
        """Train from `start`, or go on from `saved`; the trainer then holds the best weights.

        Raises:
            TrainingError: The loss or a gradient is not finite.
        """
        progress, best = start, dict[str, Array]()
        if saved is not None:
            progress, best = saved.progress, self._restore(saved)
        while not self._finished(progress):
            progress = self._epoch(progress, best)
            if self._best(progress) == progress.epochs[-1].epoch:
                best = self._weights()
            self._save(progress, best)
        set_weights(self.trainer.model, best)
        return progress

    def _finished(self, progress: Progress) -> bool:
        rows = [row for row in progress.epochs if row.phase == progress.phase]
        return progress.epoch > self.epochs or should_stop(rows, self.config.early_stopping)

    def _best(self, progress: Progress) -> int:
        rows = [row for row in progress.epochs if row.phase == progress.phase]
        return best_epoch(rows, self.config.early_stopping)

    def _epoch(self, progress: Progress, best: dict[str, Array]) -> Progress:
        began = time.perf_counter() - progress.epoch_seconds
        order = self.batches.order(progress.epoch)
        title = f"{progress.phase} epoch {progress.epoch}/{self.epochs}"
        for index in track(range(progress.batch, len(self.batches)), title):
            result = self.trainer.step(self.batches.batch(order, index))
            progress = progress.moved(
                batch=index + 1,
                step=progress.step + 1,
                loss_sum=progress.loss_sum + result.loss,
                norm_sum=progress.norm_sum + result.gradient_norm,
                epoch_seconds=time.perf_counter() - began,
            )
            self._check(result, progress)
            self._log_step(result, progress)
            every = self.config.checkpoint.every_steps
            if every and progress.step % every == 0 and progress.batch < len(self.batches):
                self._save(progress, best)
        return self._close_epoch(progress, began)

    def _close_epoch(self, progress: Progress, began: float) -> Progress:
        validation = self._validate()
        values = {f"validation_{name}": value for name, value in validation.items()}
        values["learning_rate"] = self.trainer.learning_rate
        self.scalars.write(progress.step, {f"{progress.phase}/{k}": v for k, v in values.items()})
        row = EpochRow(
            phase=progress.phase,
            epoch=progress.epoch,
            loss=progress.loss_sum / progress.batch,
            gradient_norm=progress.norm_sum / progress.batch,
            learning_rate=self.trainer.learning_rate,
            validation_auc=validation.get("auc"),
            validation_logloss=validation.get("logloss"),
            seconds=time.perf_counter() - began,
        )
        return Progress(
            phase=progress.phase,
            epoch=progress.epoch + 1,
            step=progress.step,
            epochs=(*progress.epochs, row),
        )

    def _validate(self) -> dict[str, float]:
        if self.validation is None:
            return {}
        examples = self.validation
        scores = predict_arrays(self.trainer.score, examples.inputs, len(examples))[:, 0]
        values = {"logloss": float(logloss(examples.labels, scores))}
        if len(np.unique(examples.labels)) > 1:
            values["auc"] = float(auc(examples.labels, scores))
        return values

    def _check(self, result: StepResult, progress: Progress) -> None:
        if np.isfinite(result.loss) and np.isfinite(result.gradient_norm):
            return
        raise TrainingError(
            f"Training stopped at step {progress.step} ({progress.phase}, epoch {progress.epoch}): "
            f"loss {result.loss}, gradient norm {result.gradient_norm}. Look for huge or "
            "non-finite values in the numeric features, or lower the learning rates."
        )

    def _log_step(self, result: StepResult, progress: Progress) -> None:
        self.scalars.write(
            progress.step,
            {
                f"{progress.phase}/loss": result.loss,
                f"{progress.phase}/gradient_norm": result.gradient_norm,
            },
        )

    def _weights(self) -> dict[str, Array]:
        return {name: value.numpy() for name, value in self.trainer.model.weights().items()}

    def _save(self, progress: Progress, best: dict[str, Array]) -> None:
        kept = {f"{_BEST}{name}": array for name, array in best.items()}
        self.checkpoints.save(self.trainer.state() | kept, progress)

    def _restore(self, saved: Checkpoint) -> dict[str, Array]:
        arrays = saved.arrays
        self.trainer.restore({n: a for n, a in arrays.items() if not n.startswith(_BEST)})
        return {n.removeprefix(_BEST): a for n, a in arrays.items() if n.startswith(_BEST)}
