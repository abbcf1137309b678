"""Holds a graph against its reference: batch 1 and N, optimisation off and on, any order."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reclife.contracts import FeatureSpec, ParityRow
from reclife.errors import ExportError
from reclife.export.graph import Optimisation, open_graph, run_tasks

if TYPE_CHECKING:
    import pyarrow as pa

LEVELS: tuple[Optimisation, ...] = ("none", "all")


def compare(
    path: Path,
    graph: str,
    reference: str,
    expected: np.ndarray,
    table: "pa.Table",
    spec: FeatureSpec,
    tolerance: float,
    levels: Sequence[Optimisation] = LEVELS,
) -> tuple[ParityRow, ...]:
    """Score `table` in every way a consumer may and measure the distance to `expected`.

    Args:
        path: The graph.
        graph: Name of the variant.
        reference: What `expected` comes from.
        expected: Scores of every task, `[N, T]`.
        table: The rows, N of them.
        spec: The feature specification.
        tolerance: Largest absolute difference of probabilities that is allowed.
        levels: Of optimisation.
    """
    rows = []
    permuted = table.select(table.column_names[::-1])
    for optimisation in levels:
        session = open_graph(path, optimisation)
        for columns, data in (("declared", table), ("permuted", permuted)):
            for batch in (1, table.num_rows):
                scores = run_tasks(session, data, spec, batch)
                rows.append(
                    ParityRow(
                        graph=graph,
                        reference=reference,
                        batch=batch,
                        optimisation=optimisation,
                        columns=columns,
                        rows=table.num_rows,
                        max_abs_diff=_distance(scores, expected),
                        tolerance=tolerance,
                    )
                )
    return tuple(rows)


def require(rows: Sequence[ParityRow]) -> None:
    """Raise when a comparison lies beyond its tolerance.

    Raises:
        ExportError: Naming the graph, its reference, and the way of running it that differs.
    """
    beyond = [row for row in rows if not row.max_abs_diff <= row.tolerance]
    if beyond:
        row = max(beyond, key=lambda row: row.max_abs_diff)
        raise ExportError(
            f"The {row.graph} graph differs from {row.reference} by {row.max_abs_diff:.2e} "
            f"(allowed {row.tolerance:.0e}) at batch {row.batch}, optimisation {row.optimisation}, "
            f"{row.columns} column order; {len(beyond)} of {len(rows)} comparisons fail."
        )


def _distance(scores: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest absolute difference; infinite when a score is not a number."""
    if scores.shape != expected.shape or not np.isfinite(scores).all():
        return float("inf")
    return float(np.abs(scores - expected).max(initial=0.0))
