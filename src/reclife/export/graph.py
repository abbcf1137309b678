"""Runs an ONNX graph over a table in process, at a chosen batch size and optimisation level."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from reclife.contracts import FeatureSpec
from reclife.datasets.tensors import to_arrays

if TYPE_CHECKING:
    import pyarrow as pa
    from onnxruntime import InferenceSession

Optimisation = Literal["none", "all"]


def open_graph(
    path: Path, optimisation: Optimisation = "all", threads: int = 1
) -> "InferenceSession":
    """Return an onnxruntime session on the CPU."""
    import onnxruntime as ort

    levels = {
        "none": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
        "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
    }
    options = ort.SessionOptions()
    options.graph_optimization_level = levels[optimisation]
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def feeds(
    session: "InferenceSession", table: "pa.Table", spec: FeatureSpec, batch: int
) -> Iterator[dict[str, np.ndarray]]:
    """Yield the session's inputs over the table, `batch` rows at a time, in the table's order."""
    wanted = {value.name for value in session.get_inputs()}
    order = [name for name in table.column_names if name in wanted]
    arrays = to_arrays(table, tuple(spec.feature(name) for name in order))
    for start in range(0, table.num_rows, batch):
        yield {name: arrays[name][start : start + batch] for name in order}


def run_graph(
    session: "InferenceSession", table: "pa.Table", spec: FeatureSpec, batch: int = 4096
) -> np.ndarray:
    """Return the scores of the table's rows, those of the first task, `[N]` float32."""
    return run_tasks(session, table, spec, batch)[:, 0]


def run_tasks(
    session: "InferenceSession", table: "pa.Table", spec: FeatureSpec, batch: int = 4096
) -> np.ndarray:
    """Return the scores of the table's rows for every output of the graph, `[N, T]` float32."""
    empty = np.empty((0, len(session.get_outputs())), np.float32)
    parts = [
        np.stack(session.run(None, feed), axis=1) for feed in feeds(session, table, spec, batch)
    ]
    return np.concatenate([empty, *parts])
