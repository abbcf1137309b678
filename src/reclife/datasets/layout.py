"""How tables lie on disk: few files, always in the same order."""

import math
from collections.abc import Sequence

from pyspark.sql import DataFrame

ROWS_PER_FILE = 2_000_000


def ordered(frame: DataFrame, rows: int, by: Sequence[str]) -> DataFrame:
    """Return `frame` sorted by `by` over all its files, one file per two million rows."""
    files = max(1, math.ceil(rows / ROWS_PER_FILE))
    spread = frame.repartition(1) if files == 1 else frame.repartitionByRange(files, *by)
    return spread.sortWithinPartitions(*by)
