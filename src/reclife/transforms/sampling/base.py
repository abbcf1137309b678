"""What every kind of negatives is."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PART = "_part"
"""Rank of an event's part: 0 train, 1 validation, 2 test."""
TIE = "_tie"
"""Hash of the whole row: orders what is otherwise equal."""


class Sampler(ABC):
    """Abstract: draws the negatives of some users at a time; travels to Spark's workers."""

    def examples(self, divided: "DataFrame") -> "DataFrame":
        """Return the events that are examples themselves: all of them, where nothing is said."""
        return divided

    @abstractmethod
    def events(self, ranked: "DataFrame") -> "DataFrame":
        """Return the events that `draw` looks at beside the positives."""

    @abstractmethod
    def draw(self, positives: pa.Table, events: pa.Table) -> pa.Table:
        """Return the negatives of the positives of some users.

        Args:
            positives: `user_id`, `item_id`, `timestamp` where there is one, `split`, `_part`,
                `_tie`, `label` and anything else.
            events: What `events` returned, of the same users.

        Returns:
            Rows shaped like `positives` with a float32 column `sampling_probability` behind.
        """
