"""Declarations of features that look back: on the strictly earlier events of a user or item."""

from typing import Literal, final

from pydantic import Field

from reclife.config.attributes import NamedFeature, Reads

Side = Literal["item", "user"]


@final
class MeanFeature(NamedFeature):
    """Smoothed mean of a value over the strictly earlier events: (sum + k prior) / (n + k)."""

    kind: Literal["mean"]
    by: Side
    value: str = Field("label", description="`label` or a numeric column of the interactions.")
    strength: float = Field(10.0, gt=0, description="k: events that the prior weighs.")

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        return (("interaction", self.value),)


@final
class CountFeature(NamedFeature):
    """log(1 + n) over the strictly earlier events."""

    kind: Literal["count"]
    by: Side


@final
class RecentMeanFeature(NamedFeature):
    """Smoothed mean of the newest strictly earlier events, an event's weight halving by rank.

    The newest event weighs 1, the one `half_life` events older 1/2. Ranks, not ages, so that the
    weights of a log of many years neither overflow nor vanish.
    """

    kind: Literal["recent_mean"]
    by: Side
    value: str = Field("label", description="`label` or a numeric column of the interactions.")
    half_life: float = Field(10.0, gt=0, description="In events.")
    newest: int = Field(50, ge=1, le=1000, description="Events looked at.")
    strength: float = Field(2.0, gt=0, description="Weight of the prior, in newest events.")

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        return (("interaction", self.value),)


@final
class AffinityFeature(NamedFeature):
    """The user's mean in the item's categories: two columns, `<name>_mean` and `<name>_max`.

    Per category the smoothed mean of the user's strictly earlier events there, its prior the user's
    own smoothed mean; then the mean and the largest over the categories of the item.
    """

    kind: Literal["affinity"]
    of: str = Field(description="Name of a category or multi_category feature of the items.")
    value: str = Field("label", description="`label` or a numeric column of the interactions.")
    strength: float = Field(5.0, gt=0, description="Events that a prior weighs.")

    @property
    def outputs(self) -> tuple[str, ...]:
        """The columns written."""
        return (f"{self.name}_mean", f"{self.name}_max")

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        return (("interaction", self.value),)


@final
class UnknownFeature(NamedFeature):
    """1 where the item (or user) has no strictly earlier event, else 0.

    As of the event, not of the vocabulary: every training item is in the vocabulary, so a model
    could not learn what a flag of the vocabulary means.
    """

    kind: Literal["unknown"]
    by: Side


@final
class TargetEncodingFeature(NamedFeature):
    """Smoothed mean of a value over the strictly earlier events with the same id of a feature.

    (sum + k prior) / (n + k), the events of all users and items counting; the prior itself where
    the id is 1, missing or unknown.
    """

    kind: Literal["target_encoding"]
    of: str = Field(
        description="Name of a category, hashed_category, bucketize, date_part or cross feature."
    )
    value: str = Field("label", description="`label` or a numeric column of the interactions.")
    strength: float = Field(20.0, gt=0, description="k: events that the prior weighs.")

    @property
    def reads(self) -> Reads:
        """(source, column) pairs of the data that are read."""
        return (("interaction", self.value),)
