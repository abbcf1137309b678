"""8-bit embedding tables with one scale per row, in standard operators."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reclife.compression.calibration import Calibration
from reclife.config.compression import RowInt8Config

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto


def compress(source: Path, target: Path, config: RowInt8Config, calibration: Calibration) -> None:  # noqa: ARG001
    """Replace every embedding look-up by `Cast(Gather(q, ids)) * Gather(scale, ids)`.

    `q[i] = round(w[i] / scale[i])` in [-127, 127] with `scale[i] = max |w[i]| / 127`: symmetric, so
    the zero point is 0 and the row of the padding id, where zero, stays exactly zero. Nothing
    depends on activations: no calibration row is read.
    """
    import onnx

    graph = onnx.load(source)
    tables = {t.name: t for t in graph.graph.initializer if _is_table(t, config.min_rows)}
    nodes: list[NodeProto] = []
    for node in graph.graph.node:
        is_lookup = node.op_type == "Gather" and node.input[0] in tables
        nodes += _dequantized_lookup(node) if is_lookup else [node]
    replaced = {node.input[0] for node in graph.graph.node} & tables.keys()
    del graph.graph.node[:]
    graph.graph.node.extend(nodes)
    _add_quantized(graph, [tables[name] for name in sorted(replaced)])
    _drop_unused(graph)
    onnx.checker.check_model(graph)
    onnx.save(graph, target)


def quantize_rows(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `[V, D]` int8 and `[V, 1]` float32 scales."""
    scale = np.maximum(np.abs(weights).max(axis=1, keepdims=True), 1e-12) / 127.0
    return np.rint(weights / scale).astype(np.int8), scale.astype(np.float32)


def _is_table(tensor: "TensorProto", min_rows: int) -> bool:
    from onnx import TensorProto

    return (
        tensor.data_type == TensorProto.FLOAT
        and len(tensor.dims) == 2
        and tensor.dims[0] >= min_rows
        and tensor.dims[1] > 4  # a scale costs four bytes a row
    )


def _dequantized_lookup(node: "NodeProto") -> "list[NodeProto]":
    from onnx import TensorProto, helper

    table, ids, out = node.input[0], node.input[1], node.output[0]
    return [
        helper.make_node("Gather", [f"{table}_int8", ids], [f"{out}_int8"], axis=0),
        helper.make_node("Cast", [f"{out}_int8"], [f"{out}_cast"], to=TensorProto.FLOAT),
        helper.make_node("Gather", [f"{table}_scale", ids], [f"{out}_scale"], axis=0),
        helper.make_node("Mul", [f"{out}_cast", f"{out}_scale"], [out]),
    ]


def _add_quantized(graph: "ModelProto", tables: "list[TensorProto]") -> None:
    from onnx import numpy_helper

    for table in tables:
        codes, scale = quantize_rows(numpy_helper.to_array(table))
        graph.graph.initializer.extend(
            [
                numpy_helper.from_array(codes, f"{table.name}_int8"),
                numpy_helper.from_array(scale, f"{table.name}_scale"),
            ]
        )


def _drop_unused(graph: "ModelProto") -> None:
    used = {name for node in graph.graph.node for name in node.input}
    kept = [tensor for tensor in graph.graph.initializer if tensor.name in used]
    del graph.graph.initializer[:]
    graph.graph.initializer.extend(kept)
