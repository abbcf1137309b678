"""Blocks that read rows, [B, M, D], or make them."""

from collections.abc import Sequence
from typing import Literal, final

from pydantic import Field, PositiveInt

from reclife.config.blocks.base import OneInput, SeveralInputs
from reclife.config.blocks.shapes import Available, Shape, matrix, vector
from reclife.config.towers import Units


@final
class NumberRowsBlock(OneInput):
    """A row for each number, scaled by it: `[B, N] -> [B, N, D]`."""

    kind: Literal["number_rows"]

    def shape(self, given: Sequence[Shape], available: Available) -> Shape:
        """Return the shape of its output, whose rows are as long as those of the tables."""
        return Shape((*self._shape(*given).axes, available.dim))

    def _shape(self, *given: Shape) -> Shape:
        return Shape((vector(given[0]),))


@final
class FlattenBlock(OneInput):
    """Rows side by side: `[B, M, D] -> [B, M D]`, zeros where a sequence is absent."""

    kind: Literal["flatten"]

    def _shape(self, *given: Shape) -> Shape:
        if len(given[0].axes) != 2:
            raise ValueError(f"needs rows [B, M, D], and gets {given[0]}")
        return Shape((given[0].axes[0] * given[0].axes[1],))


@final
class StackBlock(SeveralInputs):
    """Vectors and rows below one another: `[B, D]` or `[B, M, D], ... -> [B, M_1 + ..., D]`."""

    kind: Literal["stack"]

    def _shape(self, *given: Shape) -> Shape:
        rows = [(1, s.axes[0]) if len(s.axes) == 1 else matrix(s) for s in given]
        if len({width for _, width in rows}) > 1:
            raise ValueError(f"needs rows of one width, and gets {', '.join(map(str, given))}")
        return Shape((sum(count for count, _ in rows), rows[0][1]))


@final
class FieldAttentionBlock(OneInput):
    """Rows that look at one another: `[B, M, D] -> [B, M, H A]`."""

    kind: Literal["field_attention"]
    heads: PositiveInt = 2
    head_units: PositiveInt = Field(8, description="Length A of a vector within a head.")

    def _shape(self, *given: Shape) -> Shape:
        return Shape((matrix(given[0])[0], self.heads * self.head_units))


@final
class FactorizationBlock(OneInput):
    """The sum of the dot products of all pairs of rows: `[B, M, D] -> [B, 1]`."""

    kind: Literal["factorization"]

    def _shape(self, *given: Shape) -> Shape:
        matrix(given[0])
        return Shape((1,))


@final
class CompressedInteractionBlock(OneInput):
    """Products of whole rows, of a chosen degree: `[B, M, D] -> [B, H_1 + ...]`."""

    kind: Literal["compressed_interaction"]
    maps: Units = (16, 16)

    def _shape(self, *given: Shape) -> Shape:
        matrix(given[0])
        return Shape((sum(self.maps),))
