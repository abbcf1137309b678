"""Declarations of negatives: rows with label 0 that are drawn, or of which a share is kept."""

from typing import Annotated, Literal, final

from pydantic import Field

from reclife.config.schema import Schema

PerPositive = Annotated[int, Field(ge=1, le=100, description="Most negatives of one positive.")]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Alpha = Annotated[
    float,
    Field(ge=0, le=2, description="Items are drawn by (training events) ** alpha; 0: all alike."),
]


class DrawnNegatives(Schema):
    """Abstract: per positive, items of the training part that the user has not met, with label 0.

    They are requests only, never events: no history or statistic sees them.
    """

    per_positive: PerPositive = 4
    seed: Seed = 0


@final
class NoNegatives(Schema):
    """The data holds its own negative labels."""

    kind: Literal["none"]


@final
class UniformNegatives(DrawnNegatives):
    """All items alike."""

    kind: Literal["uniform"]


@final
class PopularityNegatives(DrawnNegatives):
    """Items by a power of their number of training events."""

    kind: Literal["popularity"]
    alpha: Alpha


@final
class SameCategoryNegatives(DrawnNegatives):
    """Items of the positive's category, by a power of their number of training events."""

    kind: Literal["same_category"]
    column: str = Field(description="Column of the items, int64 or text, taken as it is.")
    alpha: Alpha
    min_items: int = Field(2, ge=1, description="Training items that a category needs.")
    otherwise: Literal["all_items", "none"] = Field(
        description="A positive without category, or of one with fewer items: draw from all items, "
        "or not at all."
    )


@final
class ImpressionNegatives(Schema):
    """Per positive, earlier impressions of the same user that led to no positive event.

    Impressions themselves are no examples; those chosen are, as they are, with label 0.
    """

    kind: Literal["from_impressions"]
    event: str = Field(description="Value of the column `event` that is an impression.")
    same: str | None = Field(
        None,
        description="Column of the interactions that positive and impression must share: the "
        "request or the session.",
    )
    choose: Literal["newest", "hashed"]
    per_positive: PerPositive = 4
    seed: Seed = 0


Negatives = Annotated[
    NoNegatives
    | UniformNegatives
    | PopularityNegatives
    | SameCategoryNegatives
    | ImpressionNegatives,
    Field(discriminator="kind"),
]


@final
class DownSampling(Schema):
    """Rows with label 0 of the training part, of which a share is kept; no other part loses any."""

    negatives: float = Field(gt=0, lt=1, description="Share kept, chosen by a hash.")
    seed: Seed = 0
