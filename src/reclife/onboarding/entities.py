"""Where the attributes of items and users come from: a file of their own, or the interactions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, final

from reclife.errors import DataError
from reclife.onboarding.attributes import Attribute, sort_attributes
from reclife.onboarding.names import strength
from reclife.onboarding.profile import Column, Profile
from reclife.onboarding.roles import Guess, Roles, dependents, describe

Side = Literal["item", "user"]
RESERVED = {"user_id", "item_id", "timestamp", "label", "rating", "event", "split", "item", "user"}
"""Canonical names that an attribute may not have, and names of features that are always there."""


@final
@dataclass(frozen=True)
class Entity:
    """A table that describes items or users, its id column and its usable attributes."""

    table: Profile
    own_file: bool
    key: Guess
    attributes: tuple[Attribute, ...]


def repeated_attributes(
    events: Profile, roles: Roles, taken: Collection[str], tables: Mapping[str, Profile]
) -> dict[str, list[str]]:
    """Return by side the columns of the events that only repeat what their item or user is.

    A side that has a file of its own in `tables` needs none; a column counts for one side.
    """
    found: dict[str, list[str]] = {"item": [], "user": []}
    for side, columns in found.items():
        if side in tables:
            continue
        columns += [
            name
            for name in dependents(events, getattr(roles, side).column)
            if name not in taken
            and name not in found["item"]
            and max(strength(name, role) for role in ("rating", "event")) < 2
        ]
    return found


def find_entity(
    side: Side, events: Profile, id_column: Guess, table: Profile | None, inside: Sequence[str]
) -> Entity | None:
    """Return what describes the items or users, None when nothing does.

    Args:
        side: Which of them.
        events: The interactions.
        id_column: The column of their ids there.
        table: Their own file, if any.
        inside: Columns of the interactions that describe them.

    Raises:
        DataError: No column of their own file holds the ids.
    """
    if table is not None:
        key = _key(side, events, id_column, table)
        columns = [name for name in table.columns if name != key.column]
        return Entity(table, True, key, sort_attributes(table, columns, side, RESERVED))
    if not inside:
        return None
    return Entity(events, False, id_column, sort_attributes(events, inside, side, RESERVED))


def _key(side: Side, events: Profile, id_column: Guess, table: Profile) -> Guess:
    """Return the unique column that shares most ids with the interactions."""
    known = events.columns[id_column.column].values

    def rank(column: Column) -> tuple[float, int, int]:
        shared = len(known & column.values) / max(1, len(known))
        says = strength(column.name, side) or int(column.name.casefold() == "id")
        return round(shared, 1), says, column.distinct

    unique = [one for one in table.columns.values() if 0 < 0.99 * one.filled <= one.distinct]
    best = max(unique, key=rank, default=None)
    if best is None or rank(best)[0] < 0.2:
        found = "; ".join(f"{one.name!r}: {describe(one)}" for one in table.columns.values())
        raise DataError(
            f"{table.form.path}: no column holds the ids of column {id_column.column!r} of "
            f"{events.form.path}, one row each. Found: {found}."
        )
    return Guess(best.name, f"holds {rank(best)[0]:.0%} of the ids of the interactions")
