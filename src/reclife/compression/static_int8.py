"""Static 8-bit quantization: ranges are fixed beforehand, so no score depends on its batch."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reclife.compression.calibration import Calibration
from reclife.config.compression import StaticInt8Config
from reclife.errors import ExportError
from reclife.export.graph import open_graph

if TYPE_CHECKING:
    from onnx import ModelProto

OPERATORS = {"embeddings": ("Gather",), "dense": ("MatMul", "Gemm")}


def compress(
    source: Path, target: Path, config: StaticInt8Config, calibration: Calibration
) -> None:
    """Quantize the declared parts of the graph: `real = scale * (int8 - zero_point)`.

    Weights are signed and use 7 of their 8 bits, activations unsigned with their range from the
    calibration rows: two products of 8 bits overflow the 16-bit sums of processors without VNNI,
    and scores would differ between machines. Layers of one output (the logit) stay in float: 256
    levels of a final score would make ties.

    Raises:
        ExportError: The quantized graph holds a dequantization without zero point.
    """
    import onnx
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    graph = onnx.load(source)
    session = open_graph(source)
    with _without_advice():
        quantize_static(
            graph,
            target,
            _reader(calibration.batches(session, config.calibration_rows)),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=[op for part in config.parts for op in OPERATORS[part]],
            nodes_to_exclude=_single_output_layers(graph),
            per_channel=config.per_channel,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            activation_type=QuantType.QUInt8,
        )
    require_zero_points(onnx.load(target))


def require_zero_points(graph: "ModelProto") -> None:
    """Check that every dequantization names its zero point.

    Without one, onnxruntime's optimiser may assume an unsigned type and clip negative weights.

    Raises:
        ExportError: Naming the nodes.
    """
    bare = [
        node.name or node.output[0]
        for node in graph.graph.node
        if node.op_type == "DequantizeLinear" and (len(node.input) < 3 or not node.input[2])
    ]
    if bare:
        raise ExportError(f"Quantized without a zero point: {bare}; the scores cannot be trusted.")


def _reader(batches: Iterator[dict[str, np.ndarray]]) -> object:
    from onnxruntime.quantization import CalibrationDataReader

    class Reader(CalibrationDataReader):
        def get_next(self) -> dict[str, np.ndarray] | None:
            return next(batches, None)

    return Reader()


@contextmanager
def _without_advice() -> Iterator[None]:
    """Drop the advice to pre-process graphs: it is for shapes that ours do not have."""

    def keep(record: logging.LogRecord) -> bool:
        return "pre-process" not in record.getMessage()

    root = logging.getLogger()
    root.addFilter(keep)
    try:
        yield
    finally:
        root.removeFilter(keep)


def _single_output_layers(graph: "ModelProto") -> list[str]:
    shapes = {tensor.name: tuple(tensor.dims) for tensor in graph.graph.initializer}
    return [
        node.name
        for node in graph.graph.node
        if node.op_type in ("MatMul", "Gemm") and 1 in shapes.get(node.input[1], ())
    ]
