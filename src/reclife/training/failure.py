"""A loss that is not finite: training stops, and what it happened on is kept."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, final

import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reclife.errors import TrainingError
from reclife.training.checkpoints import Progress
from reclife.training.trainer import StepResult

Array = NDArray[Any]


@final
@dataclass(frozen=True)
class Failure:
    """Writes the guilty batch of `examples` into `folder`."""

    examples: pa.Table
    folder: Path

    def stop(
        self, rows: Array, result: StepResult, progress: Progress, *, lead: bool = True
    ) -> NoReturn:
        """Stop; of several processes the `lead` saves the examples at `rows`, the guilty batch.

        Raises:
            TrainingError: Always; it says where the batch lies.
        """
        path = self.folder / f"not_finite_step_{progress.step:010d}.parquet"
        if lead:
            self.folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(self.examples.take(rows), path)
        raise TrainingError(
            f"Training stopped at step {progress.step} ({progress.phase}, epoch "
            f"{progress.epoch}): loss {result.loss}, gradient norm {result.gradient_norm}. Its "
            f"{len(rows)} examples are in {path}. Look for huge or non-finite values in the "
            "numeric features, or lower the learning rates. Checkpoints are of finite states."
        )
