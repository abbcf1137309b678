"""Declarations of splits: which events train, validate and test."""

from typing import Annotated, Literal, final

from pydantic import Field

from reclife.config.schema import Schema


@final
class GlobalTimeSplit(Schema):
    """The newest events of all users are the test part, the newest before them validation."""

    kind: Literal["global_time"]
    test: float = Field(0.2, gt=0, lt=1, description="Share of all examples.")
    validation: float = Field(0.1, gt=0, lt=1, description="Share of the examples before test.")


@final
class LeaveLastOutSplit(Schema):
    """Each user's last example is test, the one before it validation.

    Training sees other users' later events, so it is marked leaking.
    """

    kind: Literal["leave_last_out"]
    by: str = Field(
        "timestamp", description="`timestamp` or another numeric column of the interactions."
    )
    min_events: int = Field(3, ge=3, description="Users with fewer events stay in train.")
    seed: int = Field(0, description="Of the hash that orders events of one moment.")


@final
class HashSplit(Schema):
    """Events drawn by a hash of their ids; training sees the future, so it is marked leaking."""

    kind: Literal["hash"]
    test: float = Field(0.2, gt=0, lt=1, description="Share of all events.")
    validation: float = Field(0.1, gt=0, lt=1, description="Share of the events not in test.")
    seed: int = 0


@final
class PredefinedSplit(Schema):
    """A column of the interactions says `train`, `validation` or `test`."""

    kind: Literal["predefined"]
    column: str = "split"
    validation: float = Field(
        0.1, gt=0, lt=1, description="Share of train drawn by hash when no row says `validation`."
    )
    seed: int = 0


Split = Annotated[
    GlobalTimeSplit | LeaveLastOutSplit | HashSplit | PredefinedSplit, Field(discriminator="kind")
]
