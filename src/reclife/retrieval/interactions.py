"""Events as arrays: what every retriever is fitted on."""

from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from reclife.contracts import ITEM, TIME, USER
from reclife.errors import DataError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


def flat(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the values as one array."""
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


@final
@dataclass(frozen=True)
class ItemIndex:
    """The known items, or users: raw id <-> column."""

    ids: pa.Array

    def __len__(self) -> int:
        return len(self.ids)

    def columns(self, values: pa.Array | pa.ChunkedArray) -> Ints:
        """Return each raw id's column, -1 where the item is unknown."""
        found = pc.index_in(flat(values), value_set=self.ids)
        return np.asarray(found.fill_null(-1)).astype(np.int64)

    def raw(self, columns: Ints) -> pa.Array:
        """Return the raw ids of the columns."""
        return self.ids.take(pa.array(columns))


@final
@dataclass(frozen=True)
class Interactions:
    """N events of U users with I items, as binary signals; the label plays no part.

    Attributes:
        index: The items, by raw id.
        users: `[N]` user number, 0 .. U-1.
        columns: `[N]` item column, 0 .. I-1.
        times: `[N]` seconds, or None on data without time.
        owners: The users, by raw id.
    """

    index: ItemIndex
    users: Ints
    columns: Ints
    times: Ints | None
    owners: ItemIndex

    @classmethod
    def of(cls, events: pa.Table) -> Self:
        """Read canonical events.

        Raises:
            DataError: There is no event to fit on.
        """
        if events.num_rows == 0:
            raise DataError("The retrievers have no event to learn from: 0 rows before the cut.")
        items = flat(events[ITEM])
        index = ItemIndex(_sorted_unique(items))
        owners = ItemIndex(_sorted_unique(flat(events[USER])))
        times = np.asarray(events[TIME], np.int64) if TIME in events.column_names else None
        return cls(index, owners.columns(events[USER]), index.columns(items), times, owners)

    def take(self, rows: Ints) -> "Interactions":
        """Return some of the events; items and users keep their numbers."""
        times = None if self.times is None else self.times[rows]
        return replace(self, users=self.users[rows], columns=self.columns[rows], times=times)

    def ordered(self, order: Ints) -> "Interactions":
        """Return the same events with the items renumbered: old column `order[i]` becomes `i`."""
        new = np.empty_like(order)
        new[order] = np.arange(len(order))
        return replace(self, index=ItemIndex(self.index.raw(order)), columns=new[self.columns])

    @property
    def matrix(self) -> sparse.csr_array:
        """The binary matrix `[U, I]`: 1 where the user met the item."""
        shape = (len(self.owners), len(self.index))
        ones = np.ones(len(self.users), np.float32)
        matrix = sparse.csr_array((ones, (self.users, self.columns)), shape=shape)
        matrix.data[:] = 1.0  # the constructor has summed repeated events
        return matrix


def _sorted_unique(values: pa.Array) -> pa.Array:
    unique = pc.unique(values.drop_null())
    return unique.take(pc.array_sort_indices(unique))
