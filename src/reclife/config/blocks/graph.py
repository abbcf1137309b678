"""A model declared as a graph of blocks, and what can be wrong with one."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Literal, Self, final

from pydantic import Field, StringConstraints, model_validator

from reclife.config.blocks import Block
from reclife.config.blocks.shapes import Available, Shape
from reclife.config.problems import hint, refuse
from reclife.config.towers import Embedded

BlockName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]\w*$")]


@final
class BlocksConfig(Embedded):
    """A model declared of components."""

    kind: Literal["blocks"] = "blocks"
    blocks: dict[BlockName, Block] = Field(
        min_length=1, description="The components by name, in any order."
    )
    outputs: dict[str, str] = Field(
        min_length=1, description="For each task the block [B, 1] that is its logit."
    )

    @model_validator(mode="after")
    def _is_a_graph(self) -> Self:
        if problems := list(self._problems()):
            raise ValueError("; ".join(problems))
        return self

    def _problems(self) -> Iterator[str]:
        for name, block in self.blocks.items():
            for read in block.reads:
                if read not in self.blocks:
                    yield f"block {name!r} reads {read!r}{hint(read, self.blocks)}"
        for task, name in self.outputs.items():
            if name not in self.blocks:
                yield f"the output of {task!r} is {name!r}{hint(name, self.blocks)}"
        try:
            self.order()
        except CycleError as error:
            yield f"blocks read one another in a circle: {' -> '.join(reversed(error.args[1]))}"
        read_by_some = {read for block in self.blocks.values() for read in block.reads}
        for name in self.blocks:
            if name not in read_by_some | set(self.outputs.values()):
                yield f"block {name!r} is read by none and no output"

    def order(self) -> tuple[str, ...]:
        """Return the names of the blocks, each after those it reads."""
        reads = {
            name: [read for read in block.reads if read in self.blocks]
            for name, block in self.blocks.items()
        }
        return tuple(TopologicalSorter(reads).static_order())

    def shapes(self, available: Available) -> dict[str, Shape]:
        """Return the shape of every block's output, over the features that are `available`.

        Raises:
            ConfigError: One line for each block that cannot have one; what reads it is not judged.
        """
        shapes: dict[str, Shape] = {}
        problems = []
        for name in self.order():
            block = self.blocks[name]
            if not all(read in shapes for read in block.reads):
                continue
            try:
                shapes[name] = block.shape([shapes[read] for read in block.reads], available)
            except ValueError as error:
                problems.append(f"training.model.blocks.{name}: {block.kind} {error}")
        for task, name in self.outputs.items():
            if name in shapes and shapes[name] != Shape((1,)):
                problems.append(
                    f"training.model.outputs.{task}: block {name!r} gives {shapes[name]}, not one "
                    "logit [B, 1]"
                )
        refuse(problems)
        return shapes
