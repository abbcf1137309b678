"""Numbers the keys that events and requests share."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reclife.transforms.kernels.arrays import Ints, column, positions


def matched(events: pa.Array, requests: pa.Array) -> tuple[Ints, Ints]:
    """Return dense codes of the events' keys, [N], and of the requests', -1 for others, [M]."""
    known = pc.unique(events)
    return positions(events, known), positions(requests, known)


def joined(first: tuple[Ints, Ints], second: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return dense codes of pairs of keys from those of either key, as `matched` gives them."""
    width = int(second[0].max(initial=0)) + 1
    known, events = np.unique(first[0] * width + second[0], return_inverse=True)
    both = (first[1] >= 0) & (second[1] >= 0)
    wanted = np.where(both, first[1] * width + second[1], -1)
    place = np.searchsorted(known, wanted)
    found = np.append(known, -2)[place] == wanted  # behind the last one stands no pair
    return events, np.where(found, place, -1)


def ranks(table: pa.Table, name: str) -> Ints:
    """Return where each value of a column stands among its sorted distinct values, [N]; null -1."""
    values = column(table, name)
    distinct = pc.unique(values.drop_null())
    return positions(values, distinct.take(pc.sort_indices(distinct)))


def numbered(first: pa.Table, second: pa.Table, names: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Return a number for each row's values in the named columns, the same in both tables.

    Numbers rise with the values, the first column's first; a row with a null has -1.
    """
    numbers = np.zeros(first.num_rows + second.num_rows, np.int64)
    missing = np.zeros(len(numbers), np.bool_)
    for name in names:
        own = column(first, name)
        values = pa.concat_arrays([own, column(second, name).cast(own.type)])
        distinct = values.unique().drop_null()
        places = positions(values, distinct.take(pc.sort_indices(distinct)))
        missing |= places < 0
        numbers = np.unique(numbers * (len(distinct) + 1) + places, return_inverse=True)[1]
    numbers[missing] = -1
    return numbers[: first.num_rows], numbers[first.num_rows :]
