"""Declarations of the retrievers: what each one is fitted with."""

from typing import Annotated, Literal, final

from pydantic import Field, PositiveFloat, PositiveInt

from reclife.config.neural import NeuralSourceConfig
from reclife.config.schema import Schema

Decay = Annotated[float, Field(gt=0, le=1)]


@final
class PopularityConfig(Schema):
    """Items by their number of events."""

    kind: Literal["popularity"] = "popularity"


@final
class DecayedPopularityConfig(Schema):
    """Items by their number of events, an event losing half its weight every half-life."""

    kind: Literal["decayed_popularity"] = "decayed_popularity"
    half_life_days: PositiveFloat = Field(
        365.0, description="Days after which an event counts half; unused on data without time."
    )


@final
class ItemKnnConfig(Schema):
    """Cosine similarity between items, over the user's history."""

    kind: Literal["item_knn"] = "item_knn"
    shrinkage: float = Field(
        10.0, ge=0, description="Added to the cosine's denominator: distrusts rare items."
    )
    decay: Decay = Field(0.6, description="Weight of a history item per step of age; newest 1.")
    neighbours: PositiveInt = Field(300, description="Neighbours kept for each item.")


@final
class EaseConfig(Schema):
    """Linear item-to-item model in closed form (Steck 2019, "Embarrassingly Shallow Autoencoders").

    Fitting holds a dense matrix of items by items, or, where they are smaller together, one of
    users by users and one of users by items.
    """

    kind: Literal["ease"] = "ease"
    l2: PositiveFloat = Field(200.0, description="Ridge penalty (lambda).")
    decay: Decay = Field(0.9, description="Weight of a history item per step of age; newest 1.")
    neighbours: PositiveInt = Field(300, description="Neighbours kept for each item.")
    max_dense: PositiveInt = Field(
        20_000,
        description="The dense matrices may have as many entries as a square one of this side; "
        "beyond it, fitting is refused.",
    )

    def by_users(self, users: int, items: int) -> bool:
        """Return whether the matrices of the users are the smaller ones."""
        return users * (users + items) < items**2

    def fits(self, users: int, items: int) -> bool:
        """Return whether the dense matrices are within `max_dense`."""
        return min(users * (users + items), items**2) <= self.max_dense**2


RetrieverConfig = Annotated[
    PopularityConfig | DecayedPopularityConfig | ItemKnnConfig | EaseConfig,
    Field(discriminator="kind"),
]
"""Every retriever that is fitted by a formula."""

SourceConfig = Annotated[RetrieverConfig | NeuralSourceConfig, Field(discriminator="kind")]
"""Every retriever."""


@final
class CandidatesConfig(Schema):
    """The candidate source that travels in the bundle: a retriever, then a fallback.

    Items of which the retriever knows nothing follow in the order of the fallback; a user without
    history gets the fallback alone.
    """

    source: SourceConfig = Field(default_factory=EaseConfig)
    fallback: DecayedPopularityConfig = Field(default_factory=DecayedPopularityConfig)
