"""Declarations of features that are read off the request itself."""

from typing import Literal, final

from pydantic import Field

from reclife.config.schema import Schema

Source = Literal["item", "user", "interaction"]


class NamedFeature(Schema):
    """Abstract: a feature has a name, the column it is written to."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")


@final
class CategoryFeature(NamedFeature):
    """The id of a value in a vocabulary: 1 unknown, from 2 by falling count, ties by value."""

    kind: Literal["category"]
    source: Source
    column: str
    table: str | None = Field(None, description="Embedding table; the feature's name by default.")
    min_count: int = Field(1, ge=1, description="Training events a value needs.")
    max_size: int | None = Field(None, ge=1, description="Most values kept.")


@final
class MultiCategoryFeature(NamedFeature):
    """The ids of a text's parts, at most `max_length`, padded with 0 behind."""

    kind: Literal["multi_category"]
    source: Literal["item", "user"]
    column: str
    separator: str = Field("|", min_length=1)
    max_length: int = Field(ge=1)
    table: str | None = Field(None, description="Embedding table; the feature's name by default.")
    min_count: int = Field(1, ge=1, description="Training events a value needs.")
    max_size: int | None = Field(None, ge=1, description="Most values kept.")


@final
class NumericFeature(NamedFeature):
    """A number; `log1p` first, then `standardize` with the mean and deviation of training rows."""

    kind: Literal["numeric"]
    source: Source
    column: str
    missing: float = Field(description="Value used for a missing one, before any transformation.")
    log1p: bool = False
    standardize: bool = False
