"""Declarations of statistics over windows that end at the event, and of when events are seen."""

import re
from typing import Annotated, Literal, Self, final

from pydantic import BeforeValidator, Field, model_validator

from reclife.config.attributes import NamedFeature, Reads
from reclife.config.schema import Schema

Key = Literal["item", "user", "user_item"]
"""Whose earlier events count; `user_item`: the user's with this item."""

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def _never_forward(length: object) -> object:
    if isinstance(length, str) and length.strip().startswith("-"):
        raise ValueError(f"{length} would look forward: lengths of time reach back, as 7d does")
    return length


Delay = Annotated[str, Field(pattern=r"^[0-9]{1,9}[smhdw]$"), BeforeValidator(_never_forward)]
Duration = Annotated[
    str, Field(pattern=r"^[1-9][0-9]{0,8}[smhdw]$"), BeforeValidator(_never_forward)
]
Length = Annotated[
    str, Field(pattern=r"^([1-9][0-9]{0,8}[smhdw]|all)$"), BeforeValidator(_never_forward)
]


def seconds_of(duration: str) -> int | None:
    """Return the seconds of `90s`, `15m`, `1h`, `7d` or `2w`; `None` for `all`."""
    found = re.fullmatch(r"([0-9]+)([smhdw])", duration)
    return int(found[1]) * _UNITS[found[2]] if found else None


@final
class Past(Schema):
    """When an event becomes visible to later requests, and the order inside one second."""

    delay: Delay = Field("0s", description="Time from an event to its being known, for example 1h.")
    available_from: str | None = Field(
        None,
        description="Column of the interactions: second in which a row was written. A null says "
        "nothing, and a row is never visible before its own time.",
    )
    ties: tuple[str, ...] = Field(
        (),
        description="Columns of the interactions that order the events of one key and second, most "
        "important first; what they leave open is ordered by a hash of the ids.",
    )

    @property
    def hides(self) -> bool:
        """Whether an event may be visible later than its own time."""
        return self.available_from is not None or seconds_of(self.delay) != 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the interactions that are read."""
        return (*self.ties, *([self.available_from] if self.available_from else []))


@final
class Where(Schema):
    """Which events count: those whose column has one of the values; a null never has."""

    column: str
    equals: tuple[int | float | str, ...] = Field(min_length=1)


@final
class WindowFeature(NamedFeature):
    """A statistic of the strictly earlier events in [t - window, t): the same second is not seen.

    `count`: events, of those `where` keeps; `sum` and `mean`: of `value` over them, nulls left out;
    `rate`: the share of the events that `where` keeps.
    """

    kind: Literal["window"]
    by: Key
    window: Length = Field(description="`90s`, `15m`, `1h`, `7d`, `2w` or `all`.")
    statistic: Literal["count", "sum", "mean", "rate"]
    value: str | None = Field(
        None, description="`label` or a numeric column of the interactions, for sum and mean."
    )
    where: Where | None = None
    log1p: bool = Field(False, description="Write log(1 + x) of a count or sum.")
    empty: float = Field(0.0, description="Mean or rate of no event at all.")

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        problems = []
        if (self.value is not None) != (self.statistic in ("sum", "mean")):
            problems.append("`value` belongs to sum and mean, which need it")
        if self.statistic == "rate" and self.where is None:
            problems.append("rate needs `where`")
        if self.log1p and self.statistic not in ("count", "sum"):
            problems.append("`log1p` is for count and sum")
        if self.empty and self.statistic not in ("mean", "rate"):
            problems.append("`empty` is for mean and rate")
        if problems:
            raise ValueError(f"{self.name}: {'; '.join(problems)}")
        return self

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        where = self.where.column if self.where else None
        return tuple(("interaction", name) for name in (self.value, where) if name)


@final
class RecencyFeature(NamedFeature):
    """Seconds since the newest strictly earlier event."""

    kind: Literal["recency"]
    by: Key
    log1p: bool = Field(True, description="Write log(1 + seconds).")
    missing: float = Field(description="Written as it is where there is no earlier event.")


@final
class LagFeature(NamedFeature):
    """A value of the `back`-th newest strictly earlier event; 1 is the newest."""

    kind: Literal["lag"]
    by: Key
    value: str = Field("label", description="`label` or a numeric column of the interactions.")
    back: int = Field(1, ge=1, le=1000)
    missing: float = Field(description="Written where there is no such event or its value is null.")

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        return (("interaction", self.value),)
