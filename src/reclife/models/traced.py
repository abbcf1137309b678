"""The parts of any model, read off the graph that TensorFlow traces of it.

So it is true of every model, those of the user's own included. A part is an input with its table,
a layer, operations in a `part_scope`, or an operation in which several parts meet.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, final

import tensorflow as tf

from reclife.contracts import ModelPart
from reclife.models.layers.scopes import part_of

Layer = Any
Operation = Any
Tensor = Any
Variable = Any
Score = Callable[[dict[str, Tensor]], Tensor]

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
    "GatherV2": "rows",
    "ResourceGather": "rows",
    "MatMul": "inner product",
}
"""By the type of an operation, what it makes of the parts that meet in it."""


@final
class Source(NamedTuple):
    """An input of a model: its signature without the batch, what it is, what it gives."""

    signature: Any
    kind: str
    gives: str


@final
class Model(NamedTuple):
    """What is traced of a model.

    Attributes:
        inputs: By name.
        layers: By name.
        score: Makes, of layers to be used in place of the model's own, what is traced.
        output: What comes out.
        variables: Weights that are parts themselves, by name; those that inputs look up are not.
    """

    inputs: Mapping[str, Source]
    layers: Mapping[str, Layer]
    score: Callable[[Mapping[str, Layer]], Score]
    output: str
    variables: Mapping[str, Variable]


def parts(model: Model) -> tuple[ModelPart, ...]:
    """Return the parts, each after those it reads, its pieces behind it; what comes out last."""
    return _Parts(model).listed()


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

    def __init__(self, model: Model) -> None:
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
        found: list[ModelPart] = []
        for name, reads in self._reads.items():
            layer = self._model.layers.get(name)
            found.append(
                ModelPart(
                    name=name,
                    kind=self._kinds[name],
                    reads=tuple(reads),
                    shape=self._shapes[name],
                    numbers=self._numbers(name, layer),
                )
            )
            found += self._pieces_of(name, layer)
        last, shape = self._owner[self._logits.op.name], _written(self._logits)
        out = ModelPart(
            name=self._model.output, kind="logit", reads=(last,), shape=shape, numbers=0
        )
        return (*found, out)

    def _numbers(self, name: str, layer: Layer | None) -> int:
        if layer is not None:
            return sum(map(_size, layer.weights))
        variable = self._model.variables.get(name)
        return 0 if variable is None else _size(variable)

    def _trace(self) -> Tensor:
        sources = self._model.inputs
        layers = self._model.layers.items()
        score = self._model.score({name: _Recorded(x, self._told(name)) for name, x in layers})

        def traced(inputs: dict[str, Tensor]) -> Tensor:
            for name, source in sources.items():
                self._take(name, inputs[name], source.kind, source.gives)
            return score(inputs)

        batch = {
            name: tf.TensorSpec([_BATCH, *source.signature.shape], source.signature.dtype)
            for name, source in sources.items()
        }
        function = tf.function(traced, input_signature=[batch], autograph=False)
        graph = function.get_concrete_function()
        for name, variable in self._model.variables.items():
            for outside, inside in graph.graph.captures:
                if outside is variable.handle:
                    self._take(name, inside, "weights", shape_of(variable.shape.as_list()))
        return graph.outputs[0]

    def _take(self, name: str, tensor: Tensor, kind: str, gives: str) -> None:
        self._owner[tensor.op.name] = name
        self._kinds[name], self._shapes[name] = kind, gives

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
        taken = name in self._model.inputs
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
    return shape_of(tensor.shape.as_list() if tensor.shape.rank is not None else ["..."])


def shape_of(axes: Sequence[Any]) -> str:
    """Return the axes as they are written, the batch as `B`."""
    return f"[{', '.join(map(_axis, axes))}]"


def _axis(size: Any) -> str:
    if not isinstance(size, int):
        return "?" if size is None else str(size)
    times, rest = divmod(size, _BATCH)
    if rest or not times:
        return str(size)
    return "B" if times == 1 else f"{times} B"
