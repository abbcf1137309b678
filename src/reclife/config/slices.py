"""Parts of the test rows that evaluation also measures apart."""

from typing import Annotated, Literal, Self, final

from pydantic import AfterValidator, Field, FiniteFloat, PositiveInt, model_validator

from reclife.config.schema import Schema


def _ascending(bounds: tuple[float, ...]) -> tuple[float, ...]:
    if list(bounds) != sorted(set(bounds)):
        raise ValueError("bounds must ascend")
    return bounds


@final
class ColumnSlice(Schema):
    """The values of a column: the most frequent ones, or ranges of a number."""

    kind: Literal["column"] = "column"
    source: Literal["item", "user", "examples"] = "item"
    column: str
    separator: str | None = Field(None, description="Between several values of one row.")
    most: PositiveInt = Field(10, description="Values of their own; the rest is `other`.")
    bounds: Annotated[tuple[FiniteFloat, ...], AfterValidator(_ascending)] | None = Field(
        None, min_length=1, description="Lower bounds of ranges, for a column of numbers."
    )

    @model_validator(mode="after")
    def _texts_or_numbers(self) -> Self:
        if self.bounds is not None and self.separator is not None:
            raise ValueError("bounds are for numbers and separator for texts; declare one of both")
        return self


@final
class ActivitySlice(Schema):
    """Users by their number of earlier events."""

    kind: Literal["activity"] = "activity"
    bounds: Annotated[tuple[PositiveInt, ...], AfterValidator(_ascending)] = Field(
        (1, 20, 100, 500), min_length=1, description="Lower bounds of the groups above the first."
    )


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
