"""Looks at a user's files and proposes how they become canonical tables and features."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, final

import pyarrow as pa

from reclife.errors import DataError
from reclife.onboarding.attributes import Attribute, sort_attributes
from reclife.onboarding.labels import Label, find_label
from reclife.onboarding.names import strength
from reclife.onboarding.profile import Column, Profile, profile
from reclife.onboarding.roles import Guess, Roles, dependents, describe, find_roles, require
from reclife.onboarding.source import examine

SplitKind = Literal["global_time", "predefined", "hash"]
IdType = Literal["int64", "string"]
_PARTS = {"train", "validation", "test"}


@final
@dataclass(frozen=True)
class Request:
    """What the user asks for; an option left at None is guessed."""

    interactions: Path
    items: Path | None = None
    users: Path | None = None
    columns: Mapping[str, str | None] = field(default_factory=dict)
    """Column by role: user, item, time, label."""
    at_least: float | None = None
    positive: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None


@final
@dataclass(frozen=True)
class Entity:
    """Where the attributes of items or users come from: a file of their own, or the events."""

    table: Profile
    own_file: bool
    key: Guess
    attributes: tuple[Attribute, ...]


@final
@dataclass(frozen=True)
class Proposal:
    """Everything that was guessed."""

    interactions: Profile
    roles: Roles
    user_type: IdType
    item_type: IdType
    label: Label
    split: SplitKind
    split_column: str | None
    items: Entity | None
    users: Entity | None
    repeats: bool
    """Some (user, item, time) occur more than once in the sample."""
    unused: tuple[str, ...]


def propose(request: Request) -> Proposal:
    """Read the files once and return the proposal.

    Raises:
        DataError: A file cannot be read, or something that must be known cannot be told from it.
    """
    events = _read(request, request.interactions)
    given = {role: request.columns.get(role) for role in ("user", "item", "time")}
    described = {side: _read(request, path) for side, path in _files(request).items()}
    roles = find_roles(events, given)
    taken = {guess.column for guess in (roles.user, roles.item, roles.time) if guess}
    split_column = _find_split(events, taken)
    taken |= {split_column} if split_column else set()
    owned = {side: _key(table, events, side, roles) for side, table in described.items()}
    inside = _inside(events, roles, taken, request.columns.get("label"), described)
    label = find_label(
        events,
        {*taken, *inside["item"], *inside["user"]},
        request.columns.get("label"),
        request.at_least,
        request.positive,
    )
    entities = {
        side: _entity(
            side,
            events,
            getattr(roles, side),
            described.get(side),
            owned.get(side),
            [name for name in inside[side] if name != label.source],
        )
        for side in ("item", "user")
    }
    used = taken | {label.source} | {a.source for e in entities.values() if e for a in e.attributes}
    return Proposal(
        interactions=events,
        roles=roles,
        user_type=_id_type(events, roles.user, described.get("user"), owned.get("user")),
        item_type=_id_type(events, roles.item, described.get("item"), owned.get("item")),
        label=label,
        split="predefined" if split_column else "global_time" if roles.time else "hash",
        split_column=split_column,
        items=entities["item"],
        users=entities["user"],
        repeats=_repeats(events.sample, roles, label),
        unused=tuple(name for name in events.columns if name not in used),
    )


def _files(request: Request) -> dict[str, Path]:
    files = {"item": request.items, "user": request.users}
    return {side: path for side, path in files.items() if path is not None}


def _read(request: Request, path: Path) -> Profile:
    own = path == request.interactions
    return profile(
        examine(
            path,
            request.encoding,
            request.delimiter if own else None,
            request.header if own else None,
        )
    )


def _find_split(profile: Profile, taken: set[str]) -> str | None:
    """Return the column that says train, validation or test, and nothing else."""
    for name, column in profile.columns.items():
        values = column.values
        if name not in taken and values <= _PARTS and {"train", "test"} <= values:
            return name
    return None


def _key(table: Profile, events: Profile, side: str, roles: Roles) -> Guess:
    """Return the column of an entity's file that holds the ids of the events."""
    known = events.columns[getattr(roles, side).column].values

    def rank(column: Column) -> tuple[float, int, int]:
        shared = len(known & column.values) / max(1, len(known))
        says = strength(column.name, side) or int(column.name.casefold() == "id")
        return round(shared, 1), says, column.distinct

    unique = [c for c in table.columns.values() if c.distinct >= 0.99 * c.filled and c.filled]
    best = max(unique, key=rank, default=None)
    if best is None or rank(best)[0] < 0.2:
        found = "; ".join(f"{c.name!r}: {describe(c)}" for c in table.columns.values())
        raise DataError(
            f"{table.form.path}: no column holds the ids of column "
            f"{getattr(roles, side).column!r} of {events.form.path}, one row each. Found: {found}."
        )
    return Guess(best.name, f"holds {rank(best)[0]:.0%} of the ids of the interactions")


def _inside(
    events: Profile,
    roles: Roles,
    taken: set[str],
    label: str | None,
    described: Mapping[str, Profile],
) -> dict[str, list[str]]:
    """Return the columns of the events that only repeat an attribute of the item or the user."""
    found: dict[str, list[str]] = {"item": [], "user": []}
    for side in ("item", "user"):
        if side in described:
            continue
        follows = dependents(events, getattr(roles, side).column)
        other = found["item"]
        found[side] = [
            name
            for name in follows
            if name not in taken
            and name != label
            and name not in other
            and max(strength(name, role) for role in ("rating", "event")) < 2
        ]
    return found


def _entity(
    side: str,
    events: Profile,
    id_column: Guess,
    table: Profile | None,
    key: Guess | None,
    inside: list[str],
) -> Entity | None:
    reserved = {"user_id", "item_id", "timestamp", "label", "rating", "event", "split", side}
    if table is not None and key is not None:
        columns = [name for name in table.columns if name != key.column]
        return Entity(table, True, key, sort_attributes(table, columns, side, reserved))
    if not inside:
        return None
    return Entity(events, False, id_column, sort_attributes(events, inside, side, reserved))


def _id_type(events: Profile, guess: Guess, table: Profile | None, key: Guess | None) -> IdType:
    columns = [require(events, guess.column, "")]
    columns += [table.columns[key.column]] if table and key else []
    return "int64" if all(column.is_int64 for column in columns) else "string"


def _repeats(sample: pa.Table, roles: Roles, label: Label) -> bool:
    names = [guess.column for guess in (roles.user, roles.item, roles.time) if guess]
    if label.canonical == "event" and label.source:
        names.append(label.source)
    return bool(sample.group_by(names).aggregate([]).num_rows < sample.num_rows)
