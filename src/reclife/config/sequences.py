"""Declarations of sequences beside that of the items: any category, and the time between events."""

from typing import Literal, final

from pydantic import Field

from reclife.config.attributes import OOV_BUCKETS, NamedFeature


@final
class CategorySequenceFeature(NamedFeature):
    """A category of the user's newest strictly earlier events, oldest first, 0 in front.

    It fits its own vocabulary and writes no column for the request itself, so that it may read what
    is known of past events only, such as their type.
    """

    kind: Literal["category_sequence"]
    source: Literal["item", "interaction"]
    column: str
    table: str | None = Field(None, description="Embedding table; the feature's name by default.")
    min_count: int = Field(1, ge=1, description="Training events a value needs.")
    max_size: int | None = Field(None, ge=1, description="Most values kept.")
    oov_buckets: int = Field(0, ge=0, description=OOV_BUCKETS)
    length: int = Field(50, ge=1)


@final
class GapSequenceFeature(NamedFeature):
    """log(1 + seconds) from each of the user's newest strictly earlier events, oldest first.

    Padded with 0 in front, where a category sequence of the same length has its padding.
    """

    kind: Literal["gap_sequence"]
    to: Literal["next", "request"] = Field(
        "next", description="The event after it, the request after the newest; or the request."
    )
    length: int = Field(50, ge=1)
