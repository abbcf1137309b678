"""What `ingest` reads: the source columns behind the canonical tables, the label rule, the limits.

::

    ingest:
      interactions:
        columns:
          user_id: {from: userId, type: int64}
          item_id: {from: movieId, type: int64}
          rating: {from: rating, type: float64, minimum: 0.5, maximum: 5}
        time: {from: timestamp, format: epoch_seconds}
        label: {kind: threshold, column: rating, at_least: 4}
      items:
        source: raw_interactions
        columns:
          item_id: {from: movieId, type: int64}
          title: {from: title, type: string, missing: keep}
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self, final
from zoneinfo import ZoneInfo

from pydantic import ConfigDict, Field, field_validator, model_validator

from reclife.config.schema import Schema

ColumnType = Literal["int64", "string", "float64"]
RESERVED = ("timestamp", "label")
"""Canonical columns that ingest writes itself."""
END_OF_2099 = 4_102_444_799


@final
class Column(Schema):
    """One canonical column and the source column behind it."""

    model_config = ConfigDict(populate_by_name=True)

    source: str = Field(alias="from", min_length=1, description="Column of the source file.")
    type: ColumnType = Field(description="int64 and string never pass through a float.")
    missing: str | int | float = Field(
        "reject",
        description="An empty value: `reject` sets the row aside, `keep` leaves it null, "
        "anything else is written in its place.",
    )
    decimal: Literal[".", ","] = Field(
        ".", description="What stands before the fraction of a float64 that is written as text."
    )
    minimum: float | None = Field(None, description="Smallest value accepted.")
    maximum: float | None = Field(None, description="Largest value accepted.")

    @property
    def fill(self) -> str | int | float | None:
        """The value written in the place of a missing one, if any."""
        return None if self.missing in ("reject", "keep") else self.missing

    @model_validator(mode="after")
    def _fill_has_the_type(self) -> Self:
        allowed = {"int64": (int,), "string": (str,), "float64": (int, float)}[self.type]
        if self.fill is not None and not isinstance(self.fill, allowed):
            raise ValueError(f"missing: {self.fill!r} is not of type {self.type}")
        if self.type == "string" and (self.minimum is not None or self.maximum is not None):
            raise ValueError("minimum and maximum need a numeric type")
        if self.type != "float64" and self.decimal != ".":
            raise ValueError("decimal needs the type float64")
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

    @field_validator("zone")
    @classmethod
    def _zone_exists(cls, zone: str) -> str:
        try:
            ZoneInfo(zone)
        except (KeyError, ValueError, OSError) as problem:
            raise ValueError(f"unknown time zone {zone!r}") from problem
        return zone


@final
class ThresholdLabel(Schema):
    """Label 1 where a numeric column is at least a value, else 0."""

    kind: Literal["threshold"]
    column: str
    at_least: float


@final
class EventLabel(Schema):
    """Label 1 where a column holds one of the positive values, else 0."""

    kind: Literal["event"]
    column: str
    positive: tuple[str, ...] = Field(min_length=1)


@final
class AllPositiveLabel(Schema):
    """Every interaction is a positive one (clicks, purchases)."""

    kind: Literal["all_positive"]


LabelRule = Annotated[ThresholdLabel | EventLabel | AllPositiveLabel, Field(discriminator="kind")]


def _check_ids(columns: Mapping[str, Column], names: tuple[str, ...]) -> None:
    for name in names:
        if name not in columns:
            raise ValueError(f"columns must declare {name}")
        if columns[name].type == "float64":
            raise ValueError(f"{name} must be int64 or string: ids never pass through a float")
        if columns[name].missing != "reject":
            raise ValueError(f"{name} cannot be missing: leave `missing` at reject")
    for name in columns:
        if name in RESERVED or not name.isidentifier():
            raise ValueError(f"{name!r} cannot be the name of a canonical column")


@final
class InteractionsSource(Schema):
    """How raw interactions become canonical ones."""

    columns: dict[str, Column]
    time: TimeColumn | None = Field(None, description="Leave out when the data has no time.")
    label: LabelRule
    duplicates: Literal["reject", "drop"] = Field(
        "reject",
        description="A repeated (user, item, time, event) goes to the quarantine; `drop` does not "
        "count it towards the declared rate.",
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        _check_ids(self.columns, ("user_id", "item_id"))
        if self.label.kind == "all_positive":
            return self
        column = self.columns.get(self.label.column)
        if column is None:
            raise ValueError(f"label.column {self.label.column!r} is not among the columns")
        if (self.label.kind == "threshold") == (column.type == "string"):
            raise ValueError(f"a {self.label.kind} label does not fit a {column.type} column")
        return self


@final
class ItemsSource(Schema):
    """Where item attributes come from; one row per item is kept."""

    source: Literal["raw_interactions", "raw_items"]
    columns: dict[str, Column]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        _check_ids(self.columns, ("item_id",))
        return self


@final
class UsersSource(Schema):
    """Where user attributes come from; one row per user is kept."""

    source: Literal["raw_interactions", "raw_users"]
    columns: dict[str, Column]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        _check_ids(self.columns, ("user_id",))
        return self


@final
class IngestConfig(Schema):
    """`conf/<env>/parameters/ingest.yml`."""

    interactions: InteractionsSource
    items: ItemsSource | None = Field(None, description="Leave out for bare item ids.")
    users: UsersSource | None = Field(None, description="Leave out for bare user ids.")
    max_quarantine_rate: float = Field(
        0.01, ge=0, le=1, description="Share of a source's rows that may break the contract."
    )

    @model_validator(mode="after")
    def _same_id_types(self) -> Self:
        for name, entity in (("item_id", self.items), ("user_id", self.users)):
            if entity is None:
                continue
            expected, found = self.interactions.columns[name].type, entity.columns[name].type
            if expected != found:
                raise ValueError(f"{name} is {expected} in interactions but {found} elsewhere")
        return self
