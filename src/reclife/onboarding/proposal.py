"""Looks at a user's files and proposes how they become canonical tables and features."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, final

import pyarrow as pa

from reclife.onboarding.entities import Entity, find_entity, repeated_attributes
from reclife.onboarding.labels import Label, find_label
from reclife.onboarding.profile import Profile, profile
from reclife.onboarding.roles import Guess, Roles, find_roles
from reclife.onboarding.source import examine

SplitKind = Literal["global_time", "predefined", "hash"]
IdType = Literal["int64", "string"]
_ROLES = ("user", "item", "time")
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
    tables = {side: _read(request, path) for side, path in _files(request).items()}
    roles = find_roles(events, {role: request.columns.get(role) for role in _ROLES})
    taken = {guess.column for guess in (roles.user, roles.item, roles.time) if guess}
    split_column = _find_split(events, taken)
    taken |= {split_column} if split_column else set()
    wanted = request.columns.get("label")
    inside = repeated_attributes(events, roles, taken | {wanted or ""}, tables)
    described = taken.union(*inside.values())
    label = find_label(events, described, wanted, request.at_least, request.positive)
    items = find_entity("item", events, roles.item, tables.get("item"), inside["item"])
    users = find_entity("user", events, roles.user, tables.get("user"), inside["user"])
    attributes = [one.source for entity in (items, users) if entity for one in entity.attributes]
    used = {*taken, label.source, *attributes}
    return Proposal(
        interactions=events,
        roles=roles,
        user_type=_id_type(events, roles.user, users),
        item_type=_id_type(events, roles.item, items),
        label=label,
        split="predefined" if split_column else "global_time" if roles.time else "hash",
        split_column=split_column,
        items=items,
        users=users,
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


def _id_type(events: Profile, guess: Guess, entity: Entity | None) -> IdType:
    columns = [events.columns[guess.column]]
    if entity is not None and entity.own_file:
        columns.append(entity.table.columns[entity.key.column])
    return "int64" if all(column.is_int64 for column in columns) else "string"


def _repeats(sample: pa.Table, roles: Roles, label: Label) -> bool:
    names = [guess.column for guess in (roles.user, roles.item, roles.time) if guess]
    if label.canonical == "event" and label.source:
        names.append(label.source)
    return bool(sample.group_by(names).aggregate([]).num_rows < sample.num_rows)
