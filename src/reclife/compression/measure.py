"""What a variant costs and saves: bytes, drift of the scores, change of the metrics."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from reclife.contracts import CompressionRow, FeatureSpec
from reclife.datasets.tensors import column_to_array
from reclife.export.graph import open_graph, run_graph
from reclife.metrics.classification import auc, logloss

if TYPE_CHECKING:
    import pyarrow as pa

TOP = 10
VALIDATION_AUC = "validation_auc"
"""The metric the budget is judged on; `auc` and `logloss` are those of the test rows."""


@final
@dataclass(frozen=True)
class Scored:
    """The rows of one split with the scores of the original graph."""

    table: "pa.Table"
    labels: np.ndarray
    users: np.ndarray
    scores: np.ndarray

    @classmethod
    def of(cls, table: "pa.Table", original: Path, spec: FeatureSpec) -> "Scored":
        """Score `table` with the original graph."""
        return cls(
            table=table,
            labels=column_to_array(table, spec.label, "float32"),
            users=codes(table, spec.user),
            scores=run_graph(open_graph(original), table, spec),
        )


def rows_of(
    variant: str, path: Path, original: Path, splits: dict[str, Scored], spec: FeatureSpec
) -> tuple[CompressionRow, ...]:
    """Return the report's rows of one variant, over `validation` and `test`."""
    size, full = path.stat().st_size, original.stat().st_size
    rows = []
    for split, scored in splits.items():
        scores = run_graph(open_graph(path), scored.table, spec)
        drift = float(np.abs(scores - scored.scores).max(initial=0.0))
        overlap = top_overlap(scored.users, scored.scores, scores, TOP)
        for metric, value, reference in _metrics(split, scored, scores):
            rows.append(
                CompressionRow(
                    variant=variant,
                    bytes=size,
                    ratio=round(full / size, 4),
                    metric=metric,
                    value=value,
                    delta=value - reference,
                    max_abs_diff=drift,
                    top10_overlap=overlap,
                )
            )
    return tuple(rows)


def _metrics(split: str, scored: Scored, scores: np.ndarray) -> list[tuple[str, float, float]]:
    """Return (metric, value, value of the original); AUC only where both classes occur."""
    prefix = "" if split == "test" else f"{split}_"
    labels = scored.labels
    found = [(f"{prefix}logloss", logloss(labels, scores), logloss(labels, scored.scores))]
    if 0 < labels.mean() < 1:
        found.append((f"{prefix}auc", auc(labels, scores), auc(labels, scored.scores)))
    return found


def top_overlap(users: np.ndarray, reference: np.ndarray, scores: np.ndarray, top: int) -> float:
    """Return the share of a user's `top` best rows that both scores agree on, a mean over users.

    Users with no more than `top` rows cannot disagree and do not count; ties go to the earlier row.

    Args:
        users: `[N]` integer codes.
        reference: `[N]` scores.
        scores: `[N]` other scores of the same rows.
        top: How many rows of a user are compared.
    """
    counts = np.bincount(users) if users.size else np.zeros(0, np.int64)
    counted = counts > top
    if not counted.any():
        return 1.0
    both = _is_top(users, reference, counts, top) & _is_top(users, scores, counts, top)
    agreed = np.bincount(users[both], minlength=counts.size)
    return float((agreed[counted] / top).mean())


def _is_top(users: np.ndarray, scores: np.ndarray, counts: np.ndarray, top: int) -> np.ndarray:
    order = np.lexsort((np.arange(users.size), -scores, users))
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    rank = np.empty(users.size, np.int64)
    rank[order] = np.arange(users.size) - first[users[order]]
    return rank < top


def codes(table: "pa.Table", column: str) -> np.ndarray:
    """Return `[N]` integers that tell the values of an id column apart."""
    values = table.column(column).combine_chunks().dictionary_encode()
    return np.asarray(values.indices)
