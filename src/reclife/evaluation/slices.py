"""Which test rows, or targets of lists, belong to each declared slice.

Slices are called `<what>:<value>`; a slice that nothing belongs to is left out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from reclife.config.slices import (
    ActivitySlice,
    ColumnSlice,
    NewItemsSlice,
    NewUsersSlice,
    SliceConfig,
)
from reclife.contracts import ITEM, USER
from reclife.errors import DataError
from reclife.evaluation.queries import Queries, Targets
from reclife.transforms.kernels.arrays import Ints, column, floats, positions

Bools = npt.NDArray[np.bool_]
Slices = dict[str, Bools]

OTHER, MISSING = "other", "missing"


@final
@dataclass(frozen=True)
class Entities:
    """The canonical tables that slices read attributes from."""

    items: pa.Table
    users: pa.Table


def of_rows(
    declared: Sequence[SliceConfig], known: pa.Table, test: pa.Table, earlier: Ints, who: Entities
) -> Slices:
    """Return the test rows of each slice, `[N]` each.

    Args:
        declared: The slices.
        known: User and item of every event before the test part.
        test: The test rows.
        earlier: `[N]` the user's events before each row.
        who: Attributes.

    Raises:
        DataError: A column is not there, or holds no numbers where bounds are declared.
    """
    found: Slices = {}
    for one in declared:
        match one:
            case ActivitySlice():
                found |= _ranges("earlier_events", earlier.astype(float), (0, *one.bounds))
            case NewItemsSlice():
                found |= _new("item", column(test, ITEM), column(known, ITEM))
            case NewUsersSlice():
                found |= _new("user", column(test, USER), column(known, USER))
            case ColumnSlice(source="examples"):
                found |= _values(one, _column(one, test))
            case ColumnSlice():
                ids = column(test, ITEM if one.source == "item" else USER)
                found |= _values(one, _attribute(one, ids, who))
    return {name: mask for name, mask in found.items() if mask.any()}


def of_targets(
    declared: Sequence[SliceConfig], queries: Queries, targets: Targets, who: Entities
) -> Slices:
    """Return the targets of each slice, `[M]` each; slices of items take some of a query's targets.

    Slices of example columns and of new items have no targets: the first belong to one event, and
    an item without an event before the test part is on nobody's list.
    """
    found: Slices = {}
    lengths = np.asarray(pc.list_value_length(queries.histories), np.int64)
    for one in declared:
        match one:
            case ActivitySlice():
                by_query = _ranges("earlier_events", lengths.astype(float), (0, *one.bounds))
            case NewUsersSlice():
                by_query = {"user:known": lengths > 0, "user:unknown": lengths == 0}
            case ColumnSlice(source="user"):
                by_query = _values(one, _attribute(one, queries.users, who))
            case ColumnSlice(source="item"):
                by_query = {}
                found |= _values(one, _attribute(one, targets.items, who))
            case _:
                by_query = {}
        found |= {name: mask[targets.query] for name, mask in by_query.items()}
    return found


def names_of(parts: Slices, rows: int) -> pa.Array:
    """Return the names of the slices that each row belongs to, a list `[N]`."""
    members = np.stack([*parts.values()], axis=1) if parts else np.zeros((rows, 0), bool)
    offsets = np.concatenate([[0], np.cumsum(members.sum(axis=1))])
    names = pa.array(list(parts), pa.string()).take(pa.array(np.nonzero(members)[1]))
    return pa.LargeListArray.from_arrays(pa.array(offsets), names)


def _new(what: str, ids: pa.Array, known: pa.Array) -> Slices:
    unseen = positions(ids, known.unique()) < 0
    return {f"{what}:known": ~unseen, f"{what}:unknown": unseen}


def _attribute(declared: ColumnSlice, ids: pa.Array, who: Entities) -> pa.Array:
    """Return the attribute of each id; null where the id is unknown."""
    table, key = (who.items, ITEM) if declared.source == "item" else (who.users, USER)
    place = positions(ids, column(table, key))
    rows = pa.array(np.maximum(place, 0), mask=place < 0)
    return _column(declared, table).take(rows)


def _column(declared: ColumnSlice, table: pa.Table) -> pa.Array:
    if declared.column not in table.column_names:
        raise DataError(
            f"slices: the {declared.source} table has no column {declared.column!r}; it has "
            f"{', '.join(table.column_names)}."
        )
    return column(table, declared.column)


def _values(declared: ColumnSlice, values: pa.Array) -> Slices:
    """Return the rows of each value, or of each range."""
    if declared.bounds is not None:
        if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
            raise DataError(f"slices: bounds need numbers, {declared.column!r} holds {values.type}")
        numbers = floats(pa.table({declared.column: values}), declared.column)
        found = _ranges(declared.column, numbers, declared.bounds)
        found[f"{declared.column}:{MISSING}"] = np.isnan(numbers)
        return found
    rows, texts = _texts(values, declared.separator)
    names, codes = np.unique(texts, return_inverse=True)
    often = np.argsort(-np.bincount(codes, minlength=len(names)), kind="stable")
    kept = set(often[: declared.most].tolist())
    found = {}
    for number in [*sorted(kept), None]:
        members = codes == number if number is not None else ~np.isin(codes, list(kept))
        mask = np.zeros(len(values), bool)
        mask[rows[members]] = True
        found[f"{declared.column}:{OTHER if number is None else names[number]}"] = mask
    return found


def _texts(values: pa.Array, separator: str | None) -> tuple[Ints, npt.NDArray[np.str_]]:
    """Return every value as a text, with its row: several a row for lists and separated texts."""
    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        lists = values
    else:
        texts = values.cast(pa.string())
        if separator is None:
            return np.arange(len(texts)), np.asarray(pc.fill_null(texts, MISSING)).astype(str)
        lists = pc.split_pattern(texts, separator)
    lengths = np.asarray(pc.fill_null(pc.list_value_length(lists), 0), np.int64)
    several = np.asarray(pc.fill_null(lists.flatten().cast(pa.string()), MISSING)).astype(str)
    empty = np.flatnonzero(lengths == 0)
    rows = np.concatenate([np.repeat(np.arange(len(lengths)), lengths), empty])
    return rows, np.concatenate([several, np.full(len(empty), MISSING)])


def _ranges(what: str, values: npt.NDArray[np.float64], bounds: Iterable[float]) -> Slices:
    """Return the rows of each range; whole bounds are shown as such."""
    lower = list(bounds)
    group = np.searchsorted(lower, values, side="right") - 1
    group[np.isnan(values)] = -2
    found = {f"{what}:below {lower[0]:g}": group == -1} if (group == -1).any() else {}
    for number, low in enumerate(lower):
        high = lower[number + 1] if number + 1 < len(lower) else None
        found[f"{what}:{_range_name(low, high)}"] = group == number
    return found


def _range_name(low: float, high: float | None) -> str:
    if high is None:
        return f"{low:g}+"
    if float(low).is_integer() and float(high).is_integer():
        return f"{low:g}" if high - 1 == low else f"{low:g}-{high - 1:g}"
    return f"{low:g} to {high:g}"
