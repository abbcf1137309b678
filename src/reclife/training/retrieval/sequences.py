"""Every user's events in order, and the windows that sequence models read."""

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from reclife.retrieval.interactions import Interactions, Ints


@final
@dataclass(frozen=True)
class Sequences:
    """The items of U users, oldest first.

    Attributes:
        offsets: `[U + 1]` where each user starts.
        columns: `[N]` item columns, one user after the other.
        order: `[N]` which event of the interactions each of them is.
    """

    offsets: Ints
    columns: Ints
    order: Ints

    @classmethod
    def of(cls, interactions: Interactions) -> Self:
        """Sort the events by user and time; those of one second by a hash of their item."""
        users, columns, times = interactions.users, interactions.columns, interactions.times
        keys = (users,) if times is None else (_mixed(columns), times, users)
        order = np.lexsort(keys)
        counts = np.bincount(users, minlength=len(interactions.owners))
        return cls(np.concatenate([[0], np.cumsum(counts)]), columns[order], order)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints:
        """`[U]` events of each user."""
        return np.diff(self.offsets)

    def windows(self, length: int, overlap: int) -> tuple[Ints, Ints]:
        """Return where windows of at most `length` events start and stop, newest first filled.

        Neighbouring windows of a user share `overlap` events. Windows that would hold no event of
        their own are left out.
        """
        step = length - overlap
        own = np.maximum(self.lengths - overlap, 0)
        count = -(-own // step)
        user = np.repeat(np.arange(len(self)), count)
        back = np.arange(len(user)) - np.repeat(np.cumsum(count) - count, count)
        stop = self.offsets[1:][user] - back * step
        return np.maximum(stop - length, self.offsets[:-1][user]), stop


def _mixed(columns: Ints) -> Ints:
    """Return numbers in an order that says nothing of the items' ids."""
    return (columns.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)).astype(
        np.int64
    )
