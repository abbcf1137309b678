"""The epochs of one phase of training: steps, validation, checkpoints, early stopping."""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from reclife.config.training import TrainingConfig
from reclife.contracts import EpochRow
from reclife.models.saved import set_weights
from reclife.runtime.progress import track
from reclife.training.checkpoints import Checkpoint, Checkpoints, Progress
from reclife.training.examples import Batches, Examples
from reclife.training.failure import Failure
from reclife.training.feed import Timed, ahead
from reclife.training.logs import Scalars
from reclife.training.saving import Saving
from reclife.training.schedules import Moment, factor
from reclife.training.stopping import best_epoch, should_stop
from reclife.training.trainer import Rates, StepResult, Trainer, Work
from reclife.training.validation import validate
from reclife.training.watch import Watch

Array = NDArray[Any]

_LOG = logging.getLogger(__name__)
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
    saving: Saving
    scalars: Scalars
    watch: Watch
    failure: Failure

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
        order = self.batches.order(progress.epoch)
        began = time.perf_counter() - progress.epoch_seconds
        prepared = ahead(
            lambda index: self.trainer.prepare(
                self.batches.examples, self.batches.positions(order, index)
            ),
            range(progress.batch, len(self.batches)),
        )
        title = f"{progress.phase} epoch {progress.epoch}/{self.epochs}"
        feed = Timed(track(prepared, title, len(self.batches) - progress.batch))
        before = progress.waiting_seconds
        while progress.batch < len(self.batches):
            work = self._work(feed, progress)
            for done, result in self.trainer.steps(work):
                progress = progress.moved(
                    batch=progress.batch + 1,
                    step=progress.step + 1,
                    loss_sum=progress.loss_sum + result.loss,
                    norm_sum=progress.norm_sum + result.gradient_norm,
                    epoch_seconds=time.perf_counter() - began,
                    waiting_seconds=before + feed.seconds,
                )
                if not (np.isfinite(result.loss) and np.isfinite(result.gradient_norm)):
                    rows = self.batches.positions(order, done.position)
                    self.failure.stop(rows, result, progress, lead=self.trainer.lead)
                if done.watch:
                    self._look(done, result, progress.phase)
            progress = progress.moved(repeated=progress.repeated + self.trainer.repeated())
            if progress.batch < len(self.batches):
                self._save(progress, best)
        return self._close_epoch(progress, began)

    def _work(self, feed: Iterator[Any], progress: Progress) -> Iterator[Work]:
        """Yield the next steps, up to the one after which a checkpoint is due."""
        for index, batch in enumerate(feed, progress.batch):
            step = progress.step + index - progress.batch + 1
            yield Work(index, batch, self._rates(progress, index), step, self.watch.due(step))
            if self.saving.due(step):
                return

    def _rates(self, progress: Progress, index: int) -> Rates:
        """Return the learning rates of the step on batch `index` of the current epoch."""
        judged = [r for r in progress.epochs if r.phase == "fit" and r.epoch < progress.epoch]
        done = (progress.epoch - 1) * len(self.batches) + index
        moment = Moment(done, self.epochs * len(self.batches), judged)
        sparse, dense = self.config.sparse_optimizer, self.config.dense_optimizer
        return Rates(
            sparse.learning_rate * factor(sparse.schedule, moment),
            dense.learning_rate * factor(dense.schedule, moment),
            step=done + 1,
        )

    def _close_epoch(self, progress: Progress, began: float) -> Progress:
        seconds = time.perf_counter() - began
        self.trainer.unpack()
        tasks = self.trainer.model.tasks
        measured = {}
        if self.validation is not None:
            measured = validate(self.trainer.predict(self.validation), self.validation, tasks)
        last = self._rates(progress, progress.batch - 1)
        row = EpochRow(
            phase=progress.phase,
            epoch=progress.epoch,
            loss=progress.loss_sum / progress.batch,
            gradient_norm=progress.norm_sum / progress.batch,
            learning_rate=last.dense,
            sparse_learning_rate=last.sparse,
            validation=measured,
            seconds=seconds,
            waiting_seconds=progress.waiting_seconds,
        )
        self._write(
            progress.phase,
            progress.step,
            {f"validation/{t}/{m}": v for t, values in measured.items() for m, v in values.items()}
            | {"epoch_loss": row.loss},
        )
        return Progress(
            phase=progress.phase,
            epoch=progress.epoch + 1,
            step=progress.step,
            epochs=(*progress.epochs, row),
            repeated=progress.repeated,
        )

    def _look(self, done: Work, result: StepResult, phase: str) -> None:
        self.watch.check(done.step, result.watched)
        tasks = self.trainer.model.tasks
        losses = {
            f"loss/{task.name}": float(value)
            for task, value in zip(tasks, result.task_losses, strict=True)
        }
        self._write(
            phase,
            done.step,
            result.watched
            | (losses if len(tasks) > 1 else {})
            | {
                "loss": result.loss,
                "gradient_norm": result.gradient_norm,
                "learning_rate": done.rates.dense,
                "sparse_learning_rate": done.rates.sparse,
            },
        )

    def _write(self, phase: str, step: int, values: dict[str, float]) -> None:
        if self.trainer.lead:
            self.scalars.write(step, {f"{phase}/{name}": value for name, value in values.items()})

    def _weights(self) -> dict[str, Array]:
        return {name: value.numpy() for name, value in self.trainer.model.weights().items()}

    def _save(self, progress: Progress, best: dict[str, Array]) -> None:
        self.saving.done()
        done = (progress.epoch - 1) * len(self.batches) + progress.batch
        if forgotten := self.trainer.forget(done):
            _LOG.info("Step %d: %d rows that no batch touched are forgotten.", done, forgotten)
        if not self.trainer.lead:
            return
        kept = {f"{_BEST}{name}": array for name, array in best.items()}
        self.checkpoints.save(self.trainer.state() | kept, progress)

    def _restore(self, saved: Checkpoint) -> dict[str, Array]:
        arrays = saved.arrays
        self.trainer.restore({n: a for n, a in arrays.items() if not n.startswith(_BEST)})
        return {n.removeprefix(_BEST): a for n, a in arrays.items() if n.startswith(_BEST)}
