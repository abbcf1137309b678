"""Blocks that read sequences, [B, L, D] padded."""

from typing import Literal, final

from pydantic import Field, PositiveInt

from reclife.config.blocks.base import OneInput
from reclife.config.blocks.shapes import Shape, padded, vector
from reclife.config.towers import Rate, Tower


@final
class PoolBlock(OneInput):
    """The present rows of a sequence as one: `[B, L, D] padded -> [B, D]`."""

    kind: Literal["pool"]
    by: Literal["mean", "sum"] = "mean"

    def _shape(self, *given: Shape) -> Shape:
        return Shape((padded(given[0])[1],))


@final
class AppendBlock(OneInput):
    """A sequence with one more position at its end: `[B, L, D], [B, D] -> [B, L + 1, D] padded`."""

    kind: Literal["append"]
    last: str = Field(description="The block whose vector is the last position.")

    @property
    def reads(self) -> tuple[str, ...]:
        """The sequence and the last position."""
        return (self.input, self.last)

    def _shape(self, *given: Shape) -> Shape:
        (length, dim), last = padded(given[0]), vector(given[1])
        if last != dim:
            raise ValueError(f"needs a last position of width {dim}, and gets {given[1]}")
        return Shape((length + 1, dim), padded=True)


@final
class TargetAttentionBlock(OneInput):
    """The sequence summed by its relevance: `[B, L, D] padded, [B, D] -> [B, D]`."""

    kind: Literal["target_attention"]
    target: str = Field(description="The block whose vector it is to be relevant for.")
    unit: Tower = Field(
        Tower(hidden_units=(32, 16), dropout=0.0), description="The layers of the activation unit."
    )

    @property
    def reads(self) -> tuple[str, ...]:
        """The sequence and the target."""
        return (self.input, self.target)

    def _shape(self, *given: Shape) -> Shape:
        dim = padded(given[0])[1]
        if vector(given[1]) != dim:
            raise ValueError(f"needs a target of width {dim}, and gets {given[1]}")
        return Shape((dim,))


@final
class EncoderBlock(OneInput):
    """Positions, then transformer blocks: `[B, L, D] padded -> [B, L, D] padded`."""

    kind: Literal["encoder"]
    blocks: PositiveInt = Field(1, description="Transformer blocks.")
    heads: PositiveInt = Field(2, description="Attention heads; they divide D.")
    dropout: Rate = 0.2

    def _shape(self, *given: Shape) -> Shape:
        if padded(given[0])[1] % self.heads:
            raise ValueError(f"has {self.heads} heads, which do not divide the width of {given[0]}")
        return given[0]
