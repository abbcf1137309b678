"""Blocks that read vectors, [B, N]."""

from typing import Literal, final

from pydantic import Field, PositiveInt

from reclife.config.blocks.base import Inputs, OneInput, SeveralInputs
from reclife.config.blocks.shapes import Shape, alike, vector
from reclife.config.towers import HiddenLayers, Rate


@final
class ConcatBlock(SeveralInputs):
    """Vectors side by side: `[B, N_1], ... -> [B, N_1 + ...]`."""

    kind: Literal["concat"]

    def _shape(self, *given: Shape) -> Shape:
        return Shape((sum(vector(shape) for shape in given),))


@final
class SumBlock(SeveralInputs):
    """The sum of inputs of one shape."""

    kind: Literal["sum"]

    def _shape(self, *given: Shape) -> Shape:
        return alike(given)


@final
class ProductBlock(SeveralInputs):
    """The product of inputs of one shape, component by component."""

    kind: Literal["product"]

    def _shape(self, *given: Shape) -> Shape:
        return alike(given)


@final
class CrossBlock(OneInput):
    """Products of single components, of a chosen degree: `[B, N] -> [B, N]`."""

    kind: Literal["cross"]
    layers: PositiveInt = 2
    rank: PositiveInt | None = Field(None, description="Rank of the matrices; null: full.")

    def _shape(self, *given: Shape) -> Shape:
        return Shape((vector(given[0]),))


@final
class PerceptronBlock(HiddenLayers, OneInput):
    """Hidden layers, and a linear one at the end: `[B, N] -> [B, outputs]`."""

    kind: Literal["perceptron"]
    outputs: PositiveInt | None = Field(1, description="null: it ends with the hidden layers.")

    def _shape(self, *given: Shape) -> Shape:
        vector(given[0])
        return Shape((self.outputs or self.hidden_units[-1],))


@final
class LinearBlock(OneInput):
    """A matrix: `[B, N] -> [B, outputs]`."""

    kind: Literal["linear"]
    outputs: PositiveInt = 1

    def _shape(self, *given: Shape) -> Shape:
        vector(given[0])
        return Shape((self.outputs,))


@final
class BiasBlock(OneInput):
    """One number, added: `[B, N] -> [B, N]`."""

    kind: Literal["bias"]

    def _shape(self, *given: Shape) -> Shape:
        return Shape((vector(given[0]),))


@final
class GateBlock(OneInput):
    """A mixture of experts: `[B, N], E x [B, K] -> [B, K]`."""

    kind: Literal["gate"]
    experts: Inputs = Field(description="The blocks that are mixed, by what `input` asks for.")

    @property
    def reads(self) -> tuple[str, ...]:
        """What is asked for, then the experts."""
        return (self.input, *self.experts)

    def _shape(self, *given: Shape) -> Shape:
        vector(given[0])
        return Shape((vector(alike(given[1:])),))


@final
class NormalizeBlock(OneInput):
    """Normalisation over the batch or over the vector: `[B, N] -> [B, N]`."""

    kind: Literal["normalize"]
    by: Literal["batch", "layer"] = "batch"

    def _shape(self, *given: Shape) -> Shape:
        return Shape((vector(given[0]),))


@final
class DropoutBlock(OneInput):
    """A share of the components dropped in training: `[B, N] -> [B, N]`."""

    kind: Literal["dropout"]
    rate: Rate = 0.2

    def _shape(self, *given: Shape) -> Shape:
        return Shape((vector(given[0]),))
