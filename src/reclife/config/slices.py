"""Parts of the test rows that evaluation also measures apart."""

from typing import Annotated, Literal, Self, final

from pydantic import Field, PositiveInt, model_validator

from reclife.config.schema import Schema


@final
class ColumnSlice(Schema):
    """The values of a column: the most frequent ones, or ranges of a number."""

    kind: Literal["column"] = "column"
    source: Literal["item", "user", "examples"] = "item"
    column: str
    separator: str | None = Field(None, description="Between several values of one row.")
    most: PositiveInt = Field(10, description="Values of their own; the rest is `other`.")
    bounds: tuple[float, ...] | None = Field(
        None, min_length=1, description="Lower bounds of ranges, for a column of numbers."
    )


@final
class ActivitySlice(Schema):
    """Users by their number of earlier events."""

    kind: Literal["activity"] = "activity"
    bounds: tuple[PositiveInt, ...] = Field(
        (1, 20, 100, 500), min_length=1, description="Lower bounds of the groups above the first."
    )

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if list(self.bounds) != sorted(set(self.bounds)):
            raise ValueError("bounds must ascend")
        return self


@final
class NewUsersSlice(Schema):
    """Users without and with an event before the test part."""

    kind: Literal["new_users"] = "new_users"


@final
class NewItemsSlice(Schema):
    """Items without and with an event before the test part."""

    kind: Literal["new_items"] = "new_items"


SliceConfig = Annotated[
    ColumnSlice | ActivitySlice | NewUsersSlice | NewItemsSlice, Field(discriminator="kind")
]
