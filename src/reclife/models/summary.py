"""What a model is made of, part by part, read off the graph that TensorFlow traces of it.

So it is true of every model, those of the user's own included. A part is an input with its table,
a layer, operations in a `part_scope`, or an operation in which several parts meet.
"""

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any, final

import tensorflow as tf

from reclife.contracts import Feature, ModelPart, ModelSummary
from reclife.models.layers.scopes import part_of
from reclife.models.ranking import RankingModel

Layer = Any
Operation = Any
Tensor = Any

_BATCH = 1009
"""Rows of the traced batch: a prime, so that an axis tells how often the batch is in it."""
_JOINS = {
    "ConcatV2": "concat",
    "Pack": "stack",
    "AddV2": "sum",
    "AddN": "sum",
    "Mul": "product",
    "Sub": "difference",
    "RealDiv": "quotient",
}
"""By the type of an operation, what it makes of the parts that meet in it."""


def summarise(model: RankingModel, kind: str) -> ModelSummary:
    """Return the parts of `model`, declared as `kind`; nothing is computed."""
    return ModelSummary(
        model_kind=kind,
        parts=_Parts(model).listed(),
        tables={name: tuple(table.shape) for name, table in model.tables.items()},
        numbers=model.parameter_count(),
    )


@final
class _Recorded:
    """A layer that tells which operations of the graph are its own, and what comes out."""

    def __init__(self, layer: Layer, tell: Callable[[Sequence[Operation], Tensor], None]) -> None:
        self._layer = layer
        self._tell = tell

    def __call__(self, *inputs: Any, **options: Any) -> Tensor:
        graph = tf.compat.v1.get_default_graph()
        before = len(graph.get_operations())
        output = self._layer(*inputs, **options)
        self._tell(graph.get_operations()[before:], output)
        return output


@final
class _Parts:
    """The operations of a traced model, each with the part it belongs to."""

    def __init__(self, model: RankingModel) -> None:
        self._model = model
        self._owner: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._shapes: dict[str, str] = {}
        self._reads: dict[str, dict[str, None]] = {}
        self._pieces: dict[str, dict[str, str]] = {}
        self._logits = self._trace()
        for operation in self._logits.graph.get_operations():
            self._place(operation)

    def listed(self) -> tuple[ModelPart, ...]:
        """Return the parts, each after those it reads, its pieces behind it; the logits last."""
        found: list[ModelPart] = []
        for name, reads in self._reads.items():
            layer = self._model.layers.get(name)
            found.append(
                ModelPart(
                    name=name,
                    kind=self._kinds[name],
                    reads=tuple(reads),
                    shape=self._shapes[name],
                    numbers=0 if layer is None else sum(map(_size, layer.weights)),
                )
            )
            found += self._pieces_of(name, layer)
        tasks = ", ".join(task.name for task in self._model.tasks)
        last, shape = self._owner[self._logits.op.name], _written(self._logits)
        return (*found, ModelPart(name=tasks, kind="logit", reads=(last,), shape=shape, numbers=0))

    def _trace(self) -> Tensor:
        model = copy.copy(self._model)
        layers = {name: _Recorded(layer, self._told(name)) for name, layer in model.layers.items()}
        object.__setattr__(model, "layers", layers)

        def score(inputs: dict[str, Tensor]) -> Tensor:
            for feature in model.features:
                self._take_input(feature, inputs[feature.name])
            return model(inputs)

        batch = {f.name: tf.TensorSpec([_BATCH, *f.shape], f.dtype) for f in model.features}
        function = tf.function(score, input_signature=[batch], autograph=False)
        return function.get_concrete_function().outputs[0]

    def _take_input(self, feature: Feature, tensor: Tensor) -> None:
        axes: list[int] = tensor.shape.as_list()
        kind: str = feature.kind
        if feature.table is not None:
            axes.append(self._model.tables[feature.table].shape[1])
            kind = f"{kind}, table {feature.table}"
        self._owner[tensor.op.name] = feature.name
        self._kinds[feature.name], self._shapes[feature.name] = kind, _axes(axes)

    def _told(self, name: str) -> Callable[[Sequence[Operation], Tensor], None]:
        """Return what notes the operations of the layer called `name`."""

        def tell(operations: Sequence[Operation], output: Tensor) -> None:
            part = self._apart(name)
            self._kinds[part] = type(self._model.layers[name]).__name__
            self._shapes[part] = _written(output)
            self._pieces[name] = _shapes_by_scope(operations)
            for operation in operations:
                self._owner[operation.name] = part

        return tell

    def _apart(self, name: str) -> str:
        """Return `name`, made different where an input is called the same."""
        taken = any(feature.name == name for feature in self._model.features)
        return f"{name} (part)" if taken else name

    def _place(self, operation: Operation) -> None:
        sources = [self._owner.get(tensor.op.name) for tensor in operation.inputs]
        read = dict.fromkeys(source for source in sources if source is not None)
        name = self._owner.get(operation.name)
        if name is None and not read:
            return  # a constant
        if scope := part_of(operation.name):
            name = self._apart(scope[1])
            self._kinds[name] = scope[0]
            if read and operation.outputs:
                self._shapes[name] = _written(operation.outputs[0])
        elif name is None:
            name = next(iter(read)) if len(read) == 1 else self._join(operation)
        self._owner[operation.name] = name
        known = self._reads.setdefault(name, {})
        known.update({source: None for source in read if source != name})

    def _join(self, operation: Operation) -> str:
        kind = _JOINS.get(operation.type, operation.type)
        for tensor in operation.inputs:
            # a sum of three is two sums: they are one part
            owner = self._owner.get(tensor.op.name, "")
            if kind == "sum" and self._kinds.get(owner) == kind and len(tensor.consumers()) == 1:
                self._shapes[owner] = _written(operation.outputs[0])
                return owner
        number = 1 + sum(found == kind for found in self._kinds.values())
        name = f"{kind}_{number}"
        self._kinds[name], self._shapes[name] = kind, _written(operation.outputs[0])
        return name

    def _pieces_of(self, part: str, layer: Layer | None) -> list[ModelPart]:
        if layer is None:
            return []
        sizes: dict[str, int] = {}
        for weight in layer.weights:
            owner = weight.path.rpartition("/")[0].rpartition("/")[2]
            sizes[owner] = sizes.get(owner, 0) + _size(weight)
        shapes = self._pieces.get(part, {})
        return [
            ModelPart(
                name=name,
                kind="piece",
                reads=(),
                shape=shapes[name],
                numbers=size,
                within=part,
            )
            for name, size in sizes.items()
            if name != layer.name and name in shapes
        ]


def _shapes_by_scope(operations: Sequence[Operation]) -> dict[str, str]:
    """Return the shape of what comes last in each scope; Keras numbers scopes, names do not."""
    shapes: dict[str, str] = {}
    for operation in operations:
        for scope in operation.name.split("/")[1:-1]:
            name, _, number = scope.rpartition("_")
            if operation.outputs and number.isdigit():
                shapes[name] = _written(operation.outputs[0])
    return shapes


def _size(weight: Any) -> int:
    return math.prod(weight.shape)


def _written(tensor: Tensor) -> str:
    return _axes(tensor.shape.as_list() if tensor.shape.rank is not None else ["..."])


def _axes(axes: Sequence[Any]) -> str:
    return f"[{', '.join(map(_axis, axes))}]"


def _axis(size: Any) -> str:
    if not isinstance(size, int):
        return "?" if size is None else str(size)
    times, rest = divmod(size, _BATCH)
    if rest or not times:
        return str(size)
    return "B" if times == 1 else f"{times} B"
