"""How an interaction gets its label: one rule for each thing that a model predicts."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, final

from pydantic import Field

from reclife.config.columns import Column, EventColumn
from reclife.config.schema import Schema
from reclife.config.windows import Delay, seconds_of


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


@final
class ConversionLabel(Schema):
    """Label 1 where the user has an event of some type in (t, t + within], else 0.

    The label of an event whose window reaches beyond the end of the data is null: not known yet.
    """

    kind: Literal["conversion"]
    events: tuple[str, ...] = Field(min_length=1, description="Types that are a conversion.")
    within: Delay = Field(description="Length of the window, for example 7d.")
    same_item: bool = Field(True, description="false: an event with any item is a conversion.")
    early: Literal["wait", "count"] = Field(
        "wait",
        description="A conversion in a window that is still open: `wait` leaves the label null "
        "until it closes; `count` writes 1 at once, so that the newest labels are all 1 or null.",
    )

    @property
    def seconds(self) -> int:
        """The length of the window."""
        return seconds_of(self.within) or 0


LabelRule = Annotated[
    ThresholdLabel | EventLabel | AllPositiveLabel | ConversionLabel, Field(discriminator="kind")
]


def label_problems(
    rule: LabelRule, columns: Mapping[str, Column], event: EventColumn | None, *, timed: bool
) -> Iterator[str]:
    """Yield what a rule needs and the interactions do not declare."""
    if rule.kind == "conversion":
        if not timed:
            yield "a conversion looks ahead in time: declare interactions.time"
        if event is None:
            yield "a conversion is a type of event: declare interactions.event"
        else:
            yield from event.unknown(rule.events)
        if not rule.seconds:
            yield "within must be longer than 0s"
    elif rule.kind == "event" and rule.column == "event" and event is not None:
        yield from event.unknown(rule.positive)
    elif rule.kind != "all_positive":
        column = columns.get(rule.column)
        if column is None:
            yield f"column {rule.column!r} is not among the columns"
        elif column.is_list or (rule.kind == "threshold") == (column.type == "string"):
            yield f"a {rule.kind} label does not fit a {column.type} column"
