"""Declarations of features that are read off the request itself."""

from typing import Annotated, Literal, Self, final

from pydantic import Field, model_validator

from reclife.config.schema import Schema

Source = Literal["item", "user", "interaction"]
OOV_BUCKETS = "Ids before the vocabulary that the other values are hashed into; 0 for the id 1."


Reads = tuple[tuple[Source, str], ...]


class NamedFeature(Schema):
    """Abstract: a feature has a name, the column it is written to."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")

    @property
    def outputs(self) -> tuple[str, ...]:
        """The columns written."""
        return (self.name,)

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        return ()


class ColumnFeature(NamedFeature):
    """Abstract: a feature of one column of the item, the user or the interaction."""

    source: Source
    column: str

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        return ((self.source, self.column),)


@final
class CategoryFeature(ColumnFeature):
    """The id of a value in a vocabulary: 1 unknown, from 2 by falling count, ties by value."""

    kind: Literal["category"]
    table: str | None = Field(None, description="Embedding table; the feature's name by default.")
    min_count: int = Field(1, ge=1, description="Training events a value needs.")
    max_size: int | None = Field(None, ge=1, description="Most values kept.")
    oov_buckets: int = Field(0, ge=0, description=OOV_BUCKETS)


@final
class WeightsColumn(Schema):
    """The weights are a column of their own: as many numbers as parts, in the same order."""

    kind: Literal["column"]
    column: str = Field(description="A list of numbers, or a text with the parts' separator.")


@final
class WeightsInText(Schema):
    """A part may end in its weight, as in `drama:0.8`; one that does not weighs 1."""

    kind: Literal["suffix"]
    mark: str = Field(":", min_length=1, description="What stands before the weight.")


Weights = Annotated[WeightsColumn | WeightsInText, Field(discriminator="kind")]


@final
class MultiCategoryFeature(ColumnFeature):
    """The ids of the parts of a text or list, at most `max_length`, padded with 0 behind."""

    kind: Literal["multi_category"]
    source: Literal["item", "user"]
    separator: str = Field("|", min_length=1, description="Between the parts of a text.")
    max_length: int = Field(ge=1)
    weights: Weights | None = Field(
        None, description="Adds `<name>_weights`, by which the parts are averaged; equal without."
    )
    table: str | None = Field(None, description="Embedding table; the feature's name by default.")
    min_count: int = Field(1, ge=1, description="Training events a value needs.")
    max_size: int | None = Field(None, ge=1, description="Most values kept.")
    oov_buckets: int = Field(0, ge=0, description=OOV_BUCKETS)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The columns written."""
        return (self.name, f"{self.name}_weights") if self.weights else (self.name,)

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        if self.weights and self.weights.kind == "column":
            return ((self.source, self.column), (self.source, self.weights.column))
        return ((self.source, self.column),)

    @property
    def mark(self) -> str | None:
        """What stands before a part's weight, if parts have one."""
        return self.weights.mark if self.weights and self.weights.kind == "suffix" else None


@final
class Clip(Schema):
    """The range that numbers are held in."""

    minimum: float | None = None
    maximum: float | None = None

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.minimum is None and self.maximum is None:
            raise ValueError("clip needs a minimum, a maximum or both")
        if self.minimum is not None and self.maximum is not None and self.minimum >= self.maximum:
            raise ValueError(f"clip: minimum {self.minimum} is not below maximum {self.maximum}")
        return self


@final
class NumericFeature(ColumnFeature):
    """A number: imputed, clipped, log1p, then standardized or scaled to [0, 1], in this order.

    What is fitted comes from the training rows, after the steps before it.
    """

    kind: Literal["numeric"]
    missing: float | Literal["mean"] = Field(
        description="Value used for a missing one, before any step; `mean`: that of training rows."
    )
    clip: Clip | None = Field(None, description="Range that numbers are held in.")
    log1p: bool = Field(False, description="log(1 + x), x below 0 taken as 0.")
    standardize: bool = Field(False, description="(x - mean) / deviation of the training rows.")
    min_max: bool = Field(
        False, description="The training rows' range becomes [0, 1]; numbers beyond are held there."
    )
    indicator: bool = Field(
        False, description="Adds `<name>_missing`: 1 where the number was missing, else 0."
    )

    @property
    def outputs(self) -> tuple[str, ...]:
        """The columns written."""
        return (self.name, f"{self.name}_missing") if self.indicator else (self.name,)

    @model_validator(mode="after")
    def _is_scaled_once(self) -> Self:
        if self.standardize and self.min_max:
            raise ValueError(f"{self.name}: standardize and min_max exclude each other")
        return self
