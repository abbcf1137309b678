"""Plans of Spark that Arrow can follow: columns selected, renamed, compared and filtered."""

import json
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

Node = Mapping[str, Any]


class NotPlain(Exception):
    """The plan has a step that is Spark's alone."""


class Value(NamedTuple):
    """An expression over the columns of the files and the type that Spark gives it."""

    expression: pc.Expression
    kind: str


_ORDERED = frozenset({"long", "integer", "short", "byte", "string", "boolean"})
"""Types that are compared alike; Spark and Arrow differ on NaN."""
_NUMBERS = {"double": pa.float64(), "long": pa.int64(), "integer": pa.int32()}
_WIDER = {("boolean", kind) for kind in _NUMBERS} | {
    ("integer", "long"), ("integer", "double"), ("long", "double"), ("float", "double")
}  # fmt: skip
_READ: Mapping[str, Callable[[str], Any]] = {
    "long": int,
    "integer": int,
    "string": str,
    "boolean": lambda text: json.loads(text.lower()),
}
_COMPARED = {
    "EqualTo": operator.eq,
    "LessThan": operator.lt,
    "LessThanOrEqual": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqual": operator.ge,
}
_MADE: Mapping[str, Callable[[pc.Expression, pc.Expression], pc.Expression]] = {
    "Alias": lambda one, _: one,
    "And": operator.and_,
    "Or": operator.or_,
    "Not": lambda one, _: ~one,
    "IsNull": lambda one, _: ~one.is_valid(),
    "IsNotNull": lambda one, _: one.is_valid(),
}


class Plain(NamedTuple):
    """What a plan reads: columns by name, which rows, and the columns of the files it needs."""

    columns: dict[str, pc.Expression]
    where: pc.Expression | None
    read: frozenset[str]


def plain_columns(plan: Sequence[Node], names: Sequence[str]) -> Plain:
    """Return the columns `names` of a plan, as Spark writes it in JSON, parents first.

    Raises:
        NotPlain: It does more than selecting, renaming, comparing and filtering.
    """
    *steps, source = plan
    reader = _Reader()
    output = reader.attributes(source["output"])
    for step in reversed(steps):
        kind = _kind(step)
        if kind == "Filter":
            reader.keep(step["condition"])
        elif kind == "Project":
            output = reader.project(step["projectList"])
        else:
            raise NotPlain(kind)
    if [name for name, _ in output] != list(names):
        raise NotPlain("columns")
    columns = {name: value.expression for name, value in output}
    read = frozenset(node["name"] for (node,) in source["output"])
    return Plain(columns, reader.where, read)


def _kind(node: Node) -> str:
    return str(node["class"]).rpartition(".")[2]


class _Reader:
    """Follows a plan upwards; knows its columns by Spark's numbers."""

    def __init__(self) -> None:
        self.where: pc.Expression | None = None
        self._known: dict[int, Value] = {}

    def attributes(self, output: Sequence[Sequence[Node]]) -> list[tuple[str, Value]]:
        """Return the columns of the files."""
        nodes = [node for (node,) in output]
        for node in nodes:
            kind = node["dataType"] if isinstance(node["dataType"], str) else "other"
            self._known[_number(node)] = Value(pc.field(node["name"]), kind)
        return [(node["name"], self._known[_number(node)]) for node in nodes]

    def project(self, listed: Sequence[Sequence[Node]]) -> list[tuple[str, Value]]:
        """Return the columns that are left, and know them from here on."""
        values = [self._value(iter(nodes)) for nodes in listed]
        self._known |= {_number(nodes[0]): v for nodes, v in zip(listed, values, strict=True)}
        return [(nodes[0]["name"], v) for nodes, v in zip(listed, values, strict=True)]

    def keep(self, condition: Sequence[Node]) -> None:
        """Keep only rows of which the condition is true."""
        kept = self._value(iter(condition)).expression
        self.where = kept if self.where is None else self.where & kept

    def _value(self, nodes: Iterator[Node]) -> Value:
        node = next(nodes)
        kind = _kind(node)
        if kind == "AttributeReference":
            return self._known[_number(node)]
        if kind == "Literal":
            return _literal(node)
        below = [self._value(nodes) for _ in range(node["num-children"])]
        return _combined(kind, node, below)


def _number(node: Node) -> int:
    return int(node["exprId"]["id"])


def _literal(node: Node) -> Value:
    kind = node["dataType"]
    if not isinstance(kind, str) or kind not in _READ or node.get("value") is None:
        raise NotPlain("Literal")
    value = _READ[kind](node["value"])
    return Value(pc.scalar(pa.scalar(value, _NUMBERS.get(kind))), kind)


def _combined(kind: str, node: Node, below: Sequence[Value]) -> Value:
    first, second = below[0], below[-1]
    if kind in _COMPARED and first.kind == second.kind and first.kind in _ORDERED:
        return Value(_COMPARED[kind](first.expression, second.expression), "boolean")
    if kind == "Cast" and (first.kind, node["dataType"]) in _WIDER:
        return Value(first.expression.cast(_NUMBERS[node["dataType"]]), node["dataType"])
    if kind == "CaseWhen" and len(below) % 2:
        return _case(below)
    if kind not in _MADE:
        raise NotPlain(kind)
    found = _MADE[kind](first.expression, second.expression)
    return Value(found, first.kind if kind == "Alias" else "boolean")


def _case(below: Sequence[Value]) -> Value:
    """Return the value behind the first condition that is true, else the last one."""
    *cases, last = below
    found = last
    for condition, value in reversed(list(zip(cases[::2], cases[1::2], strict=True))):
        if value.kind != found.kind:
            raise NotPlain("CaseWhen")
        holds = pc.coalesce(condition.expression, pc.scalar(False))
        found = Value(pc.if_else(holds, value.expression, found.expression), found.kind)
    return found
