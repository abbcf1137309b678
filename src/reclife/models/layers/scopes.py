"""Names for operations that are one part of a model and have no layer."""

import re
from contextlib import AbstractContextManager
from typing import Any

import tensorflow as tf

_MARK = "part"


def part_scope(kind: str, name: str) -> AbstractContextManager[Any]:
    """Return the scope in which operations are the part `name` of the model, of this `kind`."""
    return tf.name_scope(f"{_MARK}.{kind}.{_escaped(name)}")


def part_of(operation: str) -> tuple[str, str] | None:
    """Return kind and name of the part to which the operation of this full name belongs."""
    mark, _, rest = operation.partition("/")[0].partition(".")
    kind, _, name = rest.partition(".")
    return (kind, _unescaped(name)) if mark == _MARK and name else None


def _escaped(name: str) -> str:
    """Return `name` in the characters that a scope may have; features are called as users like."""
    return re.sub(r"[^A-Za-z0-9_]", lambda found: f"-{ord(found[0]):x}-", name)


def _unescaped(name: str) -> str:
    return re.sub(r"-([0-9a-f]+)-", lambda found: chr(int(found[1], 16)), name)
