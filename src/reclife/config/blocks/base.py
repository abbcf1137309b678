"""What a component of a declared model is: it names what it reads and tells its shape."""

import abc
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from reclife.config.blocks.shapes import Available, Shape
from reclife.config.schema import Schema

Inputs = Annotated[tuple[str, ...], Field(min_length=1)]


class BaseBlock(Schema, abc.ABC):
    """A component of a declared model."""

    @property
    @abc.abstractmethod
    def reads(self) -> tuple[str, ...]:
        """The blocks whose outputs it takes, in the order in which `shape` gets theirs."""

    @abc.abstractmethod
    def shape(self, given: Sequence[Shape], available: Available) -> Shape:
        """Return the shape of its output; `ValueError` where it cannot have one."""


class Source(BaseBlock):
    """A block that reads features."""

    @property
    def reads(self) -> tuple[str, ...]:
        """None: it reads features."""
        return ()

    def shape(self, given: Sequence[Shape], available: Available) -> Shape:  # noqa: ARG002
        """Return the shape of its output, over the features that are `available`."""
        return self._shape(available)

    @abc.abstractmethod
    def _shape(self, available: Available) -> Shape: ...


class Operation(BaseBlock):
    """A block that reads other blocks."""

    def shape(self, given: Sequence[Shape], available: Available) -> Shape:  # noqa: ARG002
        """Return the shape of its output for those of the blocks that it reads."""
        return self._shape(*given)

    @abc.abstractmethod
    def _shape(self, *given: Shape) -> Shape: ...


class OneInput(Operation):
    """A block with a main input."""

    input: str = Field(description="The block that is read.")

    @property
    def reads(self) -> tuple[str, ...]:
        """The input."""
        return (self.input,)


class SeveralInputs(Operation):
    """A block with several inputs of the same standing."""

    inputs: Inputs = Field(description="The blocks that are read, in this order.")

    @property
    def reads(self) -> tuple[str, ...]:
        """The inputs."""
        return self.inputs
