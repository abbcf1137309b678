"""Declarations of sequences: the user's newest events, as categories, times between and dwell."""

from typing import Literal, final

from pydantic import Field

from reclife.config.attributes import OOV_BUCKETS, NamedFeature, Reads
from reclife.config.windows import Duration, Where


class ListedFeature(NamedFeature):
    """Abstract: something of each of the user's newest strictly earlier events, oldest first."""

    length: int = Field(50, ge=1, description="Events listed; older ones are cut off and counted.")
    where: Where | None = Field(None, description="Events listed; all of the user by default.")
    session: Duration | None = Field(
        None,
        description="Lists the current session only: events, of any kind, of which none came more "
        "than this after the one before; `90s`, `30m`, `1h`. The request continues it or finds "
        "none.",
    )

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        return (("interaction", self.where.column),) if self.where else ()


@final
class SequenceFeature(ListedFeature):
    """The user's newest strictly earlier items, oldest first, padded with 0 in front."""

    kind: Literal["sequence"]
    of: str = Field("item", description="Name of the category feature of the item id.")


@final
class CategorySequenceFeature(ListedFeature):
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

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        return ((self.source, self.column), *super().reads)


@final
class GapSequenceFeature(ListedFeature):
    """log(1 + seconds) from each of the user's newest strictly earlier events, oldest first.

    Padded with 0 in front, where a category sequence of the same length has its padding.
    """

    kind: Literal["gap_sequence"]
    to: Literal["next", "request"] = Field(
        "next",
        description="The listed event after it, the request after the newest; or the request.",
    )


@final
class DwellSequenceFeature(ListedFeature):
    """log(1 + seconds) until the user's next event of any kind, at most `cap`, 0 in front.

    Known once that next event is seen by the request, so never for the newest event seen.
    """

    kind: Literal["dwell_sequence"]
    cap: Duration = Field(description="Longest time written; `90s`, `30m`, `1h`.")
    unknown: float = Field(description="Written as it is where no next event is seen yet.")
