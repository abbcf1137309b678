"""Where the parts of a graph stand in a drawing from left to right.

Layered drawing: Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical
System Structures", 1981, with the order in a layer by the mean place of the neighbours.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, final

_SWEEPS = 8


@final
class Layout(NamedTuple):
    """Layers from left to right, each from top to bottom; and each edge as the places it passes.

    A place is a part or a bend, where an edge crosses a layer without ending there.
    """

    layers: list[list[str]]
    edges: list[list[str]]


def layout(reads: Mapping[str, Sequence[str]]) -> Layout:
    """Return the layout of the parts, given as what each of them reads, in any order."""
    depth = _depths(reads)
    layers: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for name in reads:
        layers[depth[name]].append(name)
    edges = []
    for name, sources in reads.items():
        for source in sources:
            bends = [f"{source} > {name} @ {at}" for at in range(depth[source] + 1, depth[name])]
            for at, bend in enumerate(bends, start=depth[source] + 1):
                layers[at].append(bend)
            edges.append([source, *bends, name])
    return Layout(_ordered(layers, edges), edges)


def _depths(reads: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the layer of each part: behind all it reads, and what reads nothing close to use."""
    depth: dict[str, int] = {}

    def of(name: str) -> int:
        if name not in depth:
            depth[name] = max((of(source) + 1 for source in reads[name]), default=0)
        return depth[name]

    for name in reads:
        of(name)
    for name, sources in reads.items():
        readers = [depth[reader] for reader, read in reads.items() if name in read]
        if not sources and readers:
            depth[name] = min(readers) - 1
    return depth


def _ordered(layers: list[list[str]], edges: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the layers with few crossings: by turns from the left and from the right."""
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    for edge in edges:
        for left, right in pairwise(edge):
            before.setdefault(right, []).append(left)
            after.setdefault(left, []).append(right)
    for sweep in range(_SWEEPS):
        neighbours, order = (after, -1) if sweep % 2 else (before, 1)
        for layer in layers[::order]:
            places = {name: at / max(len(row), 1) for row in layers for at, name in enumerate(row)}
            layer.sort(key=lambda name: _mean([places[n] for n in neighbours.get(name, [name])]))
    return layers


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
