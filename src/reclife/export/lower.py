"""Lowers a ranking model to ONNX: one input per used feature, one output per task."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclife.contracts import Feature, FeatureSpec
from reclife.datasets.bundle import outputs
from reclife.errors import ExportError

if TYPE_CHECKING:
    from onnx import ModelProto

    from reclife.models.ranking import RankingModel

OPSET = 18
"""The highest operator set that the converter writes."""


def to_onnx(model: "RankingModel", spec: FeatureSpec, path: Path) -> None:
    """Write `model` to `path` as a graph from its features to the probability of each task.

    Every input carries its feature's name, `[B]` or `[B, L]`; the outputs, `score` for the first
    task and `score_<task>` for the others, are sigmoids of the logits, `[B]` float32. The batch is
    dynamic.

    Args:
        model: A built ranking model.
        spec: The specification that the model was built for.
        path: The file to write.

    Raises:
        ExportError: The model uses a feature that the spec lacks, an operator does not convert, the
            graph asks for more than the model's features, or onnxruntime cannot load it.
    """
    _check_features(model, spec)
    graph = _convert(model)
    _rename(graph, model.features, outputs(model.tasks))
    _check_inputs(graph, model.features)
    _check_outputs(graph, outputs(model.tasks))
    _check_loads(graph)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(graph.SerializeToString())


def _check_features(model: "RankingModel", spec: FeatureSpec) -> None:
    unknown = sorted({f.name for f in model.features if f not in spec.features})
    if unknown:
        raise ExportError(f"The model uses features that its specification lacks: {unknown}.")


def _convert(model: "RankingModel") -> "ModelProto":
    """Trace and convert; inputs are called `input_<i>`, since TensorFlow restricts names."""
    import tensorflow as tf
    from tf2onnx.convert import from_function

    names = [feature.name for feature in model.features]
    signature = [
        tf.TensorSpec((None, *feature.shape), feature.dtype, name=f"input_{i}")
        for i, feature in enumerate(model.features)
    ]

    @tf.function(input_signature=signature, autograph=False)
    def probabilities(*columns: Any) -> Any:
        logits = model(dict(zip(names, columns, strict=True)), training=False)
        tasks = range(len(model.tasks))
        return tuple(tf.identity(tf.sigmoid(logits[:, t]), name=f"output_{t}") for t in tasks)

    with _collected_errors() as errors:
        try:
            graph, _ = from_function(probabilities, input_signature=signature, opset=OPSET)
        except Exception as error:
            raise ExportError(_sentence([*errors, str(error)])) from error
    if errors:
        raise ExportError(_sentence(errors))
    return graph


@contextmanager
def _collected_errors() -> Iterator[list[str]]:
    """Collect what the converter only logs: it writes a broken file and returns."""
    logger = logging.getLogger("tf2onnx")
    handler = _Collector()
    level, propagate = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.ERROR)
    logger.propagate = False
    try:
        yield handler.messages
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def _sentence(problems: list[str]) -> str:
    return (
        f"The model cannot be lowered to ONNX: {'; '.join(dict.fromkeys(problems))}; "
        "replace that operation in the model."
    )


def _rename(graph: "ModelProto", features: tuple[Feature, ...], outputs: tuple[str, ...]) -> None:
    """Give inputs their features' names, and outputs, which come in order, theirs."""
    new = {f"input_{i}": feature.name for i, feature in enumerate(features)}
    names = {
        value.name: new.get(value.name.split(":")[0], value.name) for value in graph.graph.input
    }
    names |= {v.name: name for v, name in zip(graph.graph.output, outputs, strict=False)}
    taken = {output for node in graph.graph.node for output in node.output} - names.keys()
    clash = taken & set(names.values())
    for node in graph.graph.node:
        node.input[:] = [names.get(x, f"{x}__inner" if x in clash else x) for x in node.input]
        node.output[:] = [names.get(x, f"{x}__inner" if x in clash else x) for x in node.output]
    for value in [*graph.graph.input, *graph.graph.output]:
        value.name = names[value.name]


def _check_inputs(graph: "ModelProto", features: tuple[Feature, ...]) -> None:
    declared, found = {f.name for f in features}, {value.name for value in graph.graph.input}
    read = {name for node in graph.graph.node for name in node.input}
    if found - declared:
        raise ExportError(
            f"The lowered graph asks for {sorted(found - declared)} beside the model's features: "
            "a constant was captured from outside the model; make it a weight."
        )
    if declared - (found & read):
        raise ExportError(
            f"The lowered graph does not read {sorted(declared - (found & read))}, which the model "
            "lists as used; leave them out of `features`."
        )


def _check_outputs(graph: "ModelProto", outputs: tuple[str, ...]) -> None:
    found = [value.name for value in graph.graph.output]
    if found != list(outputs):
        raise ExportError(f"The outputs of the lowered graph are {found}, not {list(outputs)}.")


def _check_loads(graph: "ModelProto") -> None:
    import onnx
    import onnxruntime

    try:
        onnx.checker.check_model(graph, full_check=True)
        onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ExportError(f"onnxruntime cannot load the lowered graph: {error}") from error
