"""Which rows of two runs are about the same event, or the same list."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reclife.transforms.kernels.arrays import Floats, Ints, column, floats, positions

Bools = npt.NDArray[np.bool_]


def paired(
    first: pa.Table, second: pa.Table, keys: Sequence[str], truth: str
) -> tuple[pa.Table, pa.Table]:
    """Return the rows that both tables have, in the same order.

    Rows are the same when their keys are; of rows with equal keys the n-th is paired with the n-th
    in the order of `truth`.
    """
    names = [*keys, truth]
    if first.select(names).equals(second.select(names)):
        return first, second
    both = pa.concat_tables([first.select(names), second.select(names)])
    later = np.arange(len(both)) >= len(first)
    ids = _occurrences(_groups(both.select(keys)), later, floats(both, truth))
    own, other = ids[~later], ids[later]
    _, left, right = np.intersect1d(own, other, assume_unique=True, return_indices=True)
    order = np.argsort(left)
    return first.take(pa.array(left[order])), second.take(pa.array(right[order]))


def _groups(table: pa.Table) -> Ints:
    """Return a number for each row, the same for equal rows `[N]`."""
    groups = np.zeros(len(table), np.int64)
    for name in table.column_names:
        values = column(table, name)
        distinct = values.unique()
        codes = positions(values, distinct)
        groups = np.unique(groups * len(distinct) + codes, return_inverse=True)[1].astype(np.int64)
    return groups


def _occurrences(groups: Ints, later: Bools, truth: Floats) -> Ints:
    """Return a number for each row's group and its place among equal rows of its table `[N]`."""
    mixed = groups * 2 + later
    order = np.lexsort((truth, mixed))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.searchsorted(mixed[order], mixed[order])
    ids: Ints = groups * (int(place.max(initial=0)) + 1) + place
    return ids
