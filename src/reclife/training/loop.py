"""The epochs of one phase of training: steps, validation, checkpoints, early stopping."""

import time
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
from reclife.training.feed import ahead
from reclife.training.logs import Scalars
from reclife.training.schedules import Moment, factor
from reclife.training.stopping import best_epoch, should_stop
from reclife.training.trainer import Rates, StepResult, Trainer
from reclife.training.validation import validate
from reclife.training.watch import Watch

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
            lambda index: self.trainer.prepare(self.batches.batch(order, index)),
            range(progress.batch, len(self.batches)),
        )
        title = f"{progress.phase} epoch {progress.epoch}/{self.epochs}"
        asked = time.perf_counter()
        for batch in track(prepared, title, len(self.batches) - progress.batch):
            waited = time.perf_counter() - asked
            look = self.watch.due(progress.step + 1)
            result = self.trainer.step(batch, self._rates(progress), watch=look)
            progress = progress.moved(
                batch=progress.batch + 1,
                step=progress.step + 1,
                loss_sum=progress.loss_sum + result.loss,
                norm_sum=progress.norm_sum + result.gradient_norm,
                epoch_seconds=time.perf_counter() - began,
                waiting_seconds=progress.waiting_seconds + waited,
            )
            if not (np.isfinite(result.loss) and np.isfinite(result.gradient_norm)):
                self.failure.stop(
                    self.batches.positions(order, progress.batch - 1), result, progress
                )
            if look:
                self._look(result, progress)
            every = self.config.checkpoint.every_steps
            if every and progress.step % every == 0 and progress.batch < len(self.batches):
                self._save(progress, best)
            asked = time.perf_counter()
        return self._close_epoch(progress, began)

    def _rates(self, progress: Progress) -> Rates:
        """Return the learning rates of the next step."""
        judged = [r for r in progress.epochs if r.phase == "fit" and r.epoch < progress.epoch]
        done = (progress.epoch - 1) * len(self.batches) + progress.batch
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
        measured = (
            {} if self.validation is None else validate(self.trainer.score, self.validation, tasks)
        )
        last = self._rates(progress.moved(batch=progress.batch - 1))
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
            progress,
            {f"validation/{t}/{m}": v for t, values in measured.items() for m, v in values.items()}
            | {"epoch_loss": row.loss},
        )
        return Progress(
            phase=progress.phase,
            epoch=progress.epoch + 1,
            step=progress.step,
            epochs=(*progress.epochs, row),
        )

    def _look(self, result: StepResult, progress: Progress) -> None:
        self.watch.check(progress.step, result.watched)
        rates = self._rates(progress.moved(batch=progress.batch - 1))
        tasks = self.trainer.model.tasks
        losses = {
            f"loss/{task.name}": float(value)
            for task, value in zip(tasks, result.task_losses, strict=True)
        }
        self._write(
            progress,
            result.watched
            | (losses if len(tasks) > 1 else {})
            | {
                "loss": result.loss,
                "gradient_norm": result.gradient_norm,
                "learning_rate": rates.dense,
                "sparse_learning_rate": rates.sparse,
            },
        )

    def _write(self, progress: Progress, values: dict[str, float]) -> None:
        named = {f"{progress.phase}/{name}": value for name, value in values.items()}
        self.scalars.write(progress.step, named)

    def _weights(self) -> dict[str, Array]:
        return {name: value.numpy() for name, value in self.trainer.model.weights().items()}

    def _save(self, progress: Progress, best: dict[str, Array]) -> None:
        kept = {f"{_BEST}{name}": array for name, array in best.items()}
        self.checkpoints.save(self.trainer.state() | kept, progress)

    def _restore(self, saved: Checkpoint) -> dict[str, Array]:
        arrays = saved.arrays
        self.trainer.restore({n: a for n, a in arrays.items() if not n.startswith(_BEST)})
        return {n.removeprefix(_BEST): a for n, a in arrays.items() if n.startswith(_BEST)}
