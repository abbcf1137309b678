"""Blocks that read features."""

from typing import Annotated, Literal, final

from pydantic import AfterValidator, Field

from reclife.config.blocks.base import Source
from reclife.config.blocks.shapes import Available, Shape, chosen


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"names {', '.join(repeated)} twice")
    return names


Features = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_distinct)] | None


@final
class FieldsBlock(Source):
    """A row of its table for each categorical feature, the mean for a list: `[B, F, D]`."""

    kind: Literal["fields"]
    features: Features = Field(None, description="Categorical features; null: all.")

    def _shape(self, available: Available) -> Shape:
        names = chosen(self.features, available.categories, "categorical feature")
        return Shape((len(names), available.dim))


@final
class FirstOrderBlock(Source):
    """The sum of one weight for each categorical feature, the mean for a list: `[B, 1]`."""

    kind: Literal["first_order"]
    features: Features = Field(None, description="Categorical features; null: all.")

    def _shape(self, available: Available) -> Shape:
        chosen(self.features, available.categories, "categorical feature")
        return Shape((1,))


@final
class NumbersBlock(Source):
    """The numeric features side by side, normalised over the batch: `[B, N]`."""

    kind: Literal["numbers"]
    features: Features = Field(None, description="Numeric features and vectors; null: all.")

    def _shape(self, available: Available) -> Shape:
        names = chosen(self.features, available.numbers, "numeric feature")
        return Shape((sum(available.numbers[name] for name in names),))


@final
class SequenceBlock(Source):
    """The rows of a sequence, oldest first: `[B, L, D] padded`."""

    kind: Literal["sequence"]
    feature: str

    def _shape(self, available: Available) -> Shape:
        chosen((self.feature,), available.sequences, "sequence")
        return Shape((available.sequences[self.feature], available.dim), padded=True)
