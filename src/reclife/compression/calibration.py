"""The rows on which a method may look at a graph's activations."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from reclife.contracts import FeatureSpec
from reclife.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa
    from onnxruntime import InferenceSession

BATCH = 512


@final
@dataclass(frozen=True)
class Calibration:
    """Training rows and the specification that explains their columns."""

    table: "pa.Table"
    spec: FeatureSpec

    def batches(self, session: "InferenceSession", rows: int) -> Iterator[dict[str, np.ndarray]]:
        """Yield a graph's inputs over `rows` evenly spread rows.

        Raises:
            DataError: There are no training rows.
        """
        from reclife.export.graph import feeds

        return feeds(session, spread(self.table, rows), self.spec, BATCH)


def spread(table: "pa.Table", rows: int) -> "pa.Table":
    """Return `rows` rows at equal distances over the table (all, when it has no more).

    Raises:
        DataError: The table is empty.
    """
    if table.num_rows == 0:
        raise DataError("The examples are empty: there are no rows to calibrate on.")
    count = min(rows, table.num_rows)
    return table.take(np.linspace(0, table.num_rows - 1, count).astype(np.int64))
