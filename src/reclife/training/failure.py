"""A loss that is not finite: training stops, and what it happened on is kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reclife.errors import TrainingError
from reclife.training.checkpoints import Progress
from reclife.training.examples import Examples
from reclife.training.trainer import StepResult

Array = NDArray[Any]


@final
@dataclass(frozen=True)
class Failure:
    """Writes the guilty batch of `table`, read as `examples`, into `folder`."""

    table: pa.Table
    examples: Examples
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
            pq.write_table(self.table.take(rows), path)
        raise TrainingError(
            f"Training stopped at step {progress.step} ({progress.phase}, epoch "
            f"{progress.epoch}): loss {result.loss}, gradient norm {result.gradient_norm}. Its "
            f"{len(rows)} examples are in {path}. {_suspicion(self.examples.take(rows).inputs)} "
            "Checkpoints are of finite states."
        )


def _suspicion(inputs: Mapping[str, Array]) -> str:
    """Return what in the numbers of a batch may have led to this, and what to do."""
    numbers = {name: values for name, values in inputs.items() if values.dtype.kind == "f"}
    spoilt = [name for name, values in numbers.items() if not np.isfinite(values).all()]
    if spoilt:
        return f"Not finite in them: {', '.join(spoilt)}; mend or leave out such events."
    largest = {name: float(np.abs(values).max()) for name, values in numbers.items()}
    name = max(largest, key=largest.__getitem__, default=None)
    seen = f"Their largest number is {largest[name]:.3g}, of {name}: s" if name else "S"
    return f"{seen}cale huge features, or lower the learning rates."
