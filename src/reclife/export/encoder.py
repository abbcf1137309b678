"""Lowers the query side of a retrieval model to ONNX."""

from typing import TYPE_CHECKING, Any

from reclife.errors import ExportError
from reclife.export.lower import OPSET

if TYPE_CHECKING:
    from reclife.models.retrieval.sequence import SequenceModel


def encoder_to_onnx(model: "SequenceModel") -> bytes:
    """Return the graph from `history` `[B, T]` int64 to `query` `[B, D]`; B and T are dynamic.

    Raises:
        ExportError: An operator does not convert.
    """
    import tensorflow as tf
    from tf2onnx.convert import from_function

    signature = [tf.TensorSpec((None, None), tf.int64, name="history")]

    @tf.function(input_signature=signature, autograph=False)
    def query(history: Any) -> Any:
        return tf.identity(model.query(history), name="query")

    try:
        graph, _ = from_function(query, input_signature=signature, opset=OPSET)
    except Exception as error:
        raise ExportError(f"The encoder cannot be lowered to ONNX: {error}") from error
    output = graph.graph.output[0].name
    for node in graph.graph.node:
        node.output[:] = ["query" if name == output else name for name in node.output]
    graph.graph.output[0].name = "query"
    return graph.SerializeToString()
