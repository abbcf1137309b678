"""Shapes of what the blocks of a declared model pass on, without any tensor."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

from reclife.config.problems import hint


@final
class Shape(NamedTuple):
    """The axes behind that of the batch; of a `padded` list some positions may be absent."""

    axes: tuple[int, ...]
    padded: bool = False

    def __str__(self) -> str:
        """Return it as it is written, such as `[B, 6, 8] padded`."""
        axes = ", ".join(["B", *map(str, self.axes)])
        return f"[{axes}]{' padded' if self.padded else ''}"


@final
@dataclass(frozen=True)
class Available:
    """The features that a graph of blocks may read.

    `categories` are all that are looked up, sequences among them; `sequences` have their length
    and `numbers` their width. `dim` is the length of an embedding vector.
    """

    categories: tuple[str, ...]
    sequences: Mapping[str, int]
    numbers: Mapping[str, int]
    dim: int


def vector(shape: Shape) -> int:
    """Return N of `[B, N]`.

    Raises:
        ValueError: It is something else.
    """
    if len(shape.axes) != 1:
        raise ValueError(f"needs a vector [B, N], and gets {shape}")
    return shape.axes[0]


def matrix(shape: Shape) -> tuple[int, int]:
    """Return M and D of `[B, M, D]`, whose rows are all present.

    Raises:
        ValueError: It is something else.
    """
    if len(shape.axes) != 2 or shape.padded:
        raise ValueError(f"needs rows [B, M, D], and gets {shape}")
    return shape.axes[0], shape.axes[1]


def padded(shape: Shape) -> tuple[int, int]:
    """Return L and D of `[B, L, D] padded`.

    Raises:
        ValueError: It is something else.
    """
    if not shape.padded:
        raise ValueError(f"needs a sequence [B, L, D] padded, and gets {shape}")
    return shape.axes[0], shape.axes[1]


def alike(shapes: Sequence[Shape]) -> Shape:
    """Return the one shape that all of `shapes` have.

    Raises:
        ValueError: They differ.
    """
    if len(set(shapes)) > 1:
        raise ValueError(f"needs inputs of one shape, and gets {', '.join(map(str, shapes))}")
    return shapes[0]


def chosen(names: Iterable[str] | None, available: Iterable[str], what: str) -> tuple[str, ...]:
    """Return `names`, or all that are `available` where none are given.

    Raises:
        ValueError: A name is not available, or nothing is.
    """
    known = tuple(available)
    for name in names or ():
        if name not in known:
            raise ValueError(f"{name!r} is no {what} of the model{hint(name, known)}")
    if not known:
        raise ValueError(f"the model has no {what}")
    return known if names is None else tuple(names)
