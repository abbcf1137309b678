"""What each query has seen, as arrays."""

from dataclasses import dataclass
from typing import Self, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from reclife.retrieval.interactions import Ints, ItemIndex, flat


@final
@dataclass(frozen=True)
class Histories:
    """The known items of Q histories, oldest first, each item once (at its newest place).

    Attributes:
        offsets: `[Q + 1]` where each history starts.
        columns: `[M]` item columns, one history after the other.
        ages: `[M]` 0 for a history's newest item, 1 for the one before.
        users: `[Q]` raw ids of whose histories they are; None where nobody says.
    """

    offsets: Ints
    columns: Ints
    ages: Ints
    users: pa.Array | None = None

    @classmethod
    def of(
        cls,
        lists: pa.Array | pa.ChunkedArray,
        index: ItemIndex,
        users: pa.Array | pa.ChunkedArray | None = None,
    ) -> Self:
        """Read one list of raw ids per query, oldest first; unknown items are left out."""
        lists = flat(lists)
        lengths = np.asarray(pc.list_value_length(lists).fill_null(0), np.int64)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        columns = index.columns(lists.flatten())
        keep = _last_of_each(rows, columns, len(index)) & (columns >= 0)
        rows, columns = rows[keep], columns[keep]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(lengths)))])
        ages = offsets[rows + 1] - 1 - np.arange(len(rows))
        owners = None if users is None else flat(users)
        return cls(offsets.astype(np.int64), columns, ages, owners)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def part(self, start: int, stop: int) -> "Histories":
        """Return the histories `start` .. `stop`, the latter excluded."""
        inside = slice(self.offsets[start], self.offsets[stop])
        offsets = self.offsets[start : stop + 1] - self.offsets[start]
        users = None if self.users is None else self.users[start:stop]
        return Histories(offsets, self.columns[inside], self.ages[inside], users)

    def padded(self, length: int) -> Ints:
        """Return the newest items as ids `column + 1`, 0 on the left where there are fewer.

        Returns:
            `[Q, T]`, T the longest history, at most `length` and at least 1.
        """
        kept = self.ages < length
        longest = int(self.ages[kept].max(initial=0)) + 1
        padded = np.zeros((len(self), longest), np.int64)
        padded[self.rows[kept], longest - 1 - self.ages[kept]] = self.columns[kept] + 1
        return padded

    def weights(self, decay: float, items: int) -> sparse.csr_array:
        """Return the query matrix `[Q, items]` with `decay ** age` at each history item."""
        values = np.power(np.float32(decay), self.ages, dtype=np.float32)
        return sparse.csr_array((values, self.columns, self.offsets), shape=(len(self), items))

    @property
    def rows(self) -> Ints:
        """`[M]` the query of each history item."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))


def _last_of_each(rows: Ints, columns: Ints, items: int) -> np.ndarray:
    keys = (rows * (items + 1) + columns)[::-1]
    keep = np.zeros(len(keys), bool)
    keep[np.unique(keys, return_index=True)[1]] = True
    return keep[::-1]
