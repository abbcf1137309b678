"""Columns of the sources: a canonical column, the event time, the event type, the weight."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self, final
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, ConfigDict, Field, field_validator, model_validator

from reclife.config.problems import nearest
from reclife.config.schema import QUOTE, Schema

Scalar = Literal["int64", "string", "float64"]
ColumnType = Literal["int64", "string", "float64", "int64_list", "string_list", "float64_list"]
END_OF_2099 = 4_102_444_799
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

_FORMATS = ("epoch_seconds", "epoch_milliseconds", "iso")
_PARSED = "GyMLdDahHkKmsSVzOXxZ"
"""Letters of a date pattern that a text can be read by."""
_MISTAKEN = {"Y": "y", "D": "d"}
"""Letters that are easily taken for others: the year of a week, the day of a year."""


def _no_boolean(value: object) -> object:
    """Refuse what YAML makes of an unquoted yes, no, on or off."""
    if isinstance(value, bool):
        raise ValueError(QUOTE)
    return value


Text = Annotated[str | int, BeforeValidator(_no_boolean)]
"""What stands in a cell of a source."""

_FILLS: Mapping[Scalar, tuple[type, ...]] = {
    "int64": (int,),
    "string": (str,),
    "float64": (int, float),
}


@final
class Column(Schema):
    """One canonical column and the source column behind it."""

    model_config = ConfigDict(populate_by_name=True)

    source: str = Field(alias="from", min_length=1, description="Column of the source file.")
    type: ColumnType = Field(
        description="int64 and string never pass through a float; a list is read from a list or "
        "from a text with separators."
    )
    missing: str | int | float = Field(
        "reject",
        description="An empty value: `reject` sets the row aside, `keep` leaves it null, "
        "anything else is written in its place.",
    )
    decimal: Literal[".", ","] = Field(
        ".", description="What stands before the fraction of a float64 that is written as text."
    )
    separator: str = Field(
        ",", min_length=1, description="Between the parts of a list that is written as text."
    )
    minimum: float | None = Field(None, description="Smallest value accepted.")
    maximum: float | None = Field(None, description="Largest value accepted.")

    @property
    def is_list(self) -> bool:
        """Whether a row holds several values."""
        return self.type.endswith("_list")

    @property
    def element(self) -> Scalar:
        """The type of one value."""
        if self.type in ("int64", "int64_list"):
            return "int64"
        return "string" if self.type in ("string", "string_list") else "float64"

    @property
    def fill(self) -> str | int | float | None:
        """The value written in the place of a missing one, if any."""
        return None if self.missing in ("reject", "keep") else self.missing

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if self.is_list and self.fill is not None:
            raise ValueError("missing: a list that is missing is rejected or kept, never filled")
        if self.fill is not None and not isinstance(self.fill, _FILLS[self.element]):
            raise ValueError(f"missing: {self.fill!r} is not of type {self.type}")
        if self.element == "string" and (self.minimum is not None or self.maximum is not None):
            raise ValueError("minimum and maximum need a numeric type")
        if self.type != "float64" and self.decimal != ".":
            raise ValueError("decimal needs the type float64")
        if not self.is_list and "separator" in self.model_fields_set:
            raise ValueError("separator needs a list type")
        return self


@final
class TimeColumn(Schema):
    """The event time, written as int64 seconds since the epoch, UTC, rounded down."""

    model_config = ConfigDict(populate_by_name=True)

    source: str = Field(alias="from", min_length=1, description="Column of the source file.")
    format: str = Field(
        "epoch_seconds",
        description="`epoch_seconds`, `epoch_milliseconds`, `iso`, or a pattern such as "
        "`yyyy/MM/dd HH:mm:ss` (Java's DateTimeFormatter letters).",
    )
    zone: str = Field("UTC", description="Time zone of texts that name none themselves.")
    earliest: int = Field(0, description="Smallest accepted time, seconds since the epoch.")
    latest: int = Field(END_OF_2099, description="Largest accepted time, seconds.")
    complete_until: int | None = Field(
        None,
        description="Second up to which no event is missing, by default that of the newest event. "
        "A label that looks beyond it is not known yet.",
    )

    @field_validator("format")
    @classmethod
    def _format_can_be_read(cls, text: str) -> str:
        if text in _FORMATS:
            return text
        letters = set(re.sub(r"'[^']*'|[^A-Za-z]", "", text))
        if "y" in letters and letters <= set(_PARSED) and not {"M", "D"} <= letters:
            return text
        meant = "".join(_MISTAKEN.get(letter, letter) for letter in text)
        raise ValueError(
            f"{text!r} is none of {', '.join(_FORMATS)}, nor a pattern with a year, such as "
            "`yyyy/MM/dd HH:mm:ss`, with other text between single quotes"
            + (f"; did you mean {meant!r}?" if meant != text else nearest(text, _FORMATS))
        )

    @field_validator("zone")
    @classmethod
    def _zone_exists(cls, zone: str) -> str:
        try:
            ZoneInfo(zone)
        except (KeyError, ValueError, OSError) as problem:
            raise ValueError(f"unknown time zone {zone!r}") from problem
        return zone


@final
class EventColumn(Schema):
    """The type of each event, from a closed list; a row of any other type is set aside."""

    model_config = ConfigDict(populate_by_name=True)

    source: str = Field(alias="from", min_length=1, description="Column of the source file.")
    types: dict[str, tuple[Text, ...]] = Field(
        min_length=1,
        description="Type -> the values that the source writes for it, compared as texts without "
        "the blanks around them.",
    )

    @model_validator(mode="after")
    def _values_are_of_one_type(self) -> Self:
        values = [str(value).strip() for written in self.types.values() for value in written]
        twice = sorted({value for value in values if values.count(value) > 1})
        empty = sorted(name for name, written in self.types.items() if not written or not name)
        if twice:
            raise ValueError(f"types: {', '.join(twice)} would be of two types")
        if empty or "" in values:
            raise ValueError("types: every type needs a name and values that are not empty")
        return self

    def unknown(self, names: Mapping[str, object] | tuple[str, ...]) -> Iterator[str]:
        """Yield, with its nearest match, every one of `names` that is no declared type."""
        for name in names:
            if name not in self.types:
                yield f"{name!r} is no type of interactions.event{nearest(name, self.types)}"


@final
class Weight(Schema):
    """How much an example counts in the loss: by its event's type, by a column, or the product."""

    by_event: dict[str, Positive] | None = Field(None, description="Event type -> weight.")
    column: str | None = Field(
        None, description="Numeric column; a row in which it is not above 0 is set aside."
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.by_event and self.column is None:
            raise ValueError("weight needs by_event, column or both")
        return self
