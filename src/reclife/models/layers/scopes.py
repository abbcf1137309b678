"""Names for operations that are one part of a model and have no layer."""

from contextlib import AbstractContextManager
from typing import Any

import tensorflow as tf

_MARK = "part"


def part_scope(kind: str, name: str) -> AbstractContextManager[Any]:
    """Return the scope in which operations are the part `name` of the model, of this `kind`."""
    return tf.name_scope(f"{_MARK}.{kind}.{name}")


def part_of(operation: str) -> tuple[str, str] | None:
    """Return kind and name of the part to which the operation of this full name belongs."""
    mark, _, rest = operation.partition("/")[0].partition(".")
    kind, _, name = rest.partition(".")
    return (kind, name) if mark == _MARK and name else None
