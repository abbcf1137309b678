"""The model drawn as a picture: boxes for its parts, lines for what they read, shapes written."""

from collections.abc import Mapping
from html import escape
from typing import NamedTuple, final

from reclife.contracts import ModelPart, ModelSummary
from reclife.pipelines.training.layout import layout

_WIDTH, _HEIGHT = 176, 46
_ACROSS, _DOWN = 62, 14
_BEND = 10
_MARGIN = 12
_LETTERS = 25
"""Letters of a name that a box has room for."""
_COLOURS = {
    "input": ("#eaf1fb", "#4a6fa5"),
    "weighed": ("#e4f3ea", "#1a7f5a"),
    "plain": ("#f4f5f7", "#8a97a5"),
    "logit": ("#fbefe6", "#c2703d"),
}
"""Fill and line of the boxes: inputs, parts with weights, parts without, logits."""


@final
class _Place(NamedTuple):
    x: float
    y: float
    width: float
    height: float


def draw(summary: ModelSummary) -> str:
    """Return the picture as SVG: inputs to the left, logits to the right, pieces left out."""
    parts = {part.name: part for part in summary.parts if part.within is None}
    drawing = layout({name: part.reads for name, part in parts.items()})
    places = _places(drawing.layers, parts)
    lines = [_line([places[name] for name in edge]) for edge in drawing.edges]
    boxes = [_box(part, places[name]) for name, part in parts.items()]
    width = max(place.x + place.width for place in places.values()) + _MARGIN
    height = max(place.y + place.height for place in places.values()) + _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" role="img" font-family="system-ui, sans-serif" font-size="12">'
        f"<title>{escape(summary.model_kind)}</title>{''.join([*lines, *boxes])}</svg>"
    )


def _places(layers: list[list[str]], parts: Mapping[str, ModelPart]) -> dict[str, _Place]:
    """Return where each part and bend stands; layers are centred."""
    heights = [[_HEIGHT if name in parts else _BEND for name in layer] for layer in layers]
    totals = [sum(layer) + _DOWN * (len(layer) - 1) for layer in heights]
    places = {}
    for at, (layer, sizes) in enumerate(zip(layers, heights, strict=True)):
        y = _MARGIN + (max(totals) - totals[at]) / 2
        for name, size in zip(layer, sizes, strict=True):
            places[name] = _Place(_MARGIN + at * (_WIDTH + _ACROSS), y, _WIDTH, size)
            y += size + _DOWN
    return places


def _line(passed: list[_Place]) -> str:
    """Return a curve through `passed`; across a bend it runs straight."""
    first = passed[0]
    x, y = first.x + first.width, first.y + first.height / 2
    path = [f"M{x:.0f} {y:.1f}"]
    for place in passed[1:]:
        to, middle = place.y + place.height / 2, (x + place.x) / 2
        path.append(f"C{middle:.0f} {y:.1f} {middle:.0f} {to:.1f} {place.x:.0f} {to:.1f}")
        x, y = place.x + place.width, to
        if place is not passed[-1]:
            path.append(f"L{x:.0f} {y:.1f}")
    return f'<path d="{" ".join(path)}" fill="none" stroke="#b6bfc9"/>'


def _box(part: ModelPart, place: _Place) -> str:
    fill, line = _COLOURS[_sort(part)]
    x, y = place.x + place.width / 2, place.y
    numbers = f", {part.numbers:,} numbers" if part.numbers else ""
    what = f"{part.kind.split(',')[0]} {part.shape}"
    return (
        f"<g><title>{escape(f'{part.name}: {part.kind}, {part.shape}{numbers}')}</title>"
        f'<rect x="{place.x:.0f}" y="{y:.1f}" width="{place.width:.0f}" '
        f'height="{place.height:.0f}" rx="7" fill="{fill}" stroke="{line}"/>'
        f'<text x="{x:.0f}" y="{y + 19:.1f}" text-anchor="middle" font-weight="600" '
        f'fill="#1c2733">{_short(part.name)}</text>'
        f'<text x="{x:.0f}" y="{y + 36:.1f}" text-anchor="middle" fill="#5b6b7b">'
        f"{_short(what)}</text></g>"
    )


def _sort(part: ModelPart) -> str:
    if part.kind == "logit":
        return "logit"
    if not part.reads:
        return "input"
    return "weighed" if part.numbers else "plain"


def _short(text: str) -> str:
    return escape(text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…")
