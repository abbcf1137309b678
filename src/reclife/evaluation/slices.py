"""Which test rows, or targets of lists, belong to each declared slice.

Slices are called `<what>:<value>`; a slice that nothing belongs to is left out.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
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
from reclife.evaluation.slice_values import Slices, of_ranges, of_values
from reclife.transforms.kernels.arrays import Ints, column, positions

TAKEN = ("item", "user", "earlier_events", "over", "sampled_negatives")
"""What the names of other slices begin with."""


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
    names = _names(declared)
    for one in declared:
        match one:
            case ActivitySlice():
                found |= _activity(one, earlier)
            case NewItemsSlice():
                found |= _new("item", column(test, ITEM), column(known, ITEM))
            case NewUsersSlice():
                found |= _new("user", column(test, USER), column(known, USER))
            case ColumnSlice(source="examples"):
                found |= _values(names[one], one, _column(one, test))
            case ColumnSlice():
                ids = column(test, ITEM if one.source == "item" else USER)
                found |= _values(names[one], one, _attribute(one, ids, who))
    return {name: mask for name, mask in found.items() if mask.any()}


def of_targets(
    declared: Sequence[SliceConfig], queries: Queries, targets: Targets, who: Entities
) -> Slices:
    """Return the targets of each slice, `[M]` each; slices of items take some of a query's targets.

    Slices of example columns and of new items have no targets: the first belong to one event, and
    an item without an event before the test part is on nobody's list.
    """
    found: Slices = {}
    names = _names(declared)
    lengths = np.asarray(pc.list_value_length(queries.histories), np.int64)
    for one in declared:
        match one:
            case ActivitySlice():
                by_query = _activity(one, lengths)
            case NewUsersSlice():
                by_query = {"user:known": lengths > 0, "user:unknown": lengths == 0}
            case ColumnSlice(source="user"):
                by_query = _values(names[one], one, _attribute(one, queries.users, who))
            case ColumnSlice(source="item"):
                by_query = {}
                found |= _values(names[one], one, _attribute(one, targets.items, who))
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


def _names(declared: Sequence[SliceConfig]) -> dict[SliceConfig, str]:
    """Return what the slices of each column begin with: its name, in case of doubt its table."""
    columns = [one for one in declared if isinstance(one, ColumnSlice)]
    often = Counter(one.column for one in columns)
    return {
        one: f"{one.source} {one.column}"
        if often[one.column] > 1 or one.column in TAKEN
        else one.column
        for one in columns
    }


def _activity(declared: ActivitySlice, earlier: Ints) -> Slices:
    return of_ranges("earlier_events", pa.array(earlier), (0, *declared.bounds))


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


def _values(name: str, declared: ColumnSlice, values: pa.Array) -> Slices:
    if declared.bounds is not None:
        return of_ranges(name, values, declared.bounds)
    return of_values(name, values, declared.separator, declared.most)
