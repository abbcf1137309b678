"""Finds the columns of user, item and time: by their names first, by what they hold second."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import final

import pyarrow.compute as pc

from reclife.errors import DataError
from reclife.onboarding.names import strength
from reclife.onboarding.profile import Column, Profile
from reclife.onboarding.times import TimeFormat, time_format

FEW = 21
"""A numeric column with at most this many values can be a rating (0 to 100 in fives)."""


@final
@dataclass(frozen=True)
class Guess:
    """A column and what speaks for it; `weak` when the names said nothing."""

    column: str
    seen: str
    weak: bool = False


@final
@dataclass(frozen=True)
class Roles:
    """The columns that every interaction has, and the form of the time."""

    user: Guess
    item: Guess
    time: Guess | None
    time_format: TimeFormat | None


def find_roles(interactions: Profile, given: Mapping[str, str | None]) -> Roles:
    """Return the roles of the columns; `given` holds what the options say, by role.

    Raises:
        DataError: A given column is not there, or user and item cannot be told; the message lists
            what was found and the options that decide it.
    """
    for role, name in given.items():
        if name is not None:
            require(interactions, name, f"--{role}-column")
    time, written = _find_time(interactions, given.get("time"))
    taken = {name for name in given.values() if name} | ({time.column} if time else set())
    user = _given(given.get("user")) or _by_name(interactions, "user", "item", taken)
    item = _given(given.get("item")) or _by_name(interactions, "item", "user", taken)
    if user is None or item is None:
        user, item = _by_content(interactions, user, item, taken)
    return Roles(user, item, time, written)


def require(profile: Profile, name: str, option: str) -> Column:
    """Return the column called `name`.

    Raises:
        DataError: There is none; the message lists those that are there.
    """
    if name not in profile.columns:
        raise DataError(
            f"{option} names {name!r}, but {profile.form.path} has the columns "
            f"{', '.join(profile.columns)}."
        )
    return profile.columns[name]


def dependents(profile: Profile, key: str) -> list[str]:
    """Return the columns whose value follows from the value of `key`, in the sample."""
    keys = profile.sample.column(key)
    count = pc.count_distinct(keys).as_py()
    if count >= 0.9 * profile.sample.num_rows:
        return []
    return [
        name
        for name in profile.columns
        if name != key
        and profile.sample.group_by([key, name]).aggregate([]).num_rows <= 1.01 * count
    ]


def describe(column: Column) -> str:
    """Return what a column holds, in a few words."""
    kind = "integers" if column.is_int64 else "numbers" if column.numbers else "texts"
    example = column.sample[0][:40] if column.sample else ""
    return f"{column.distinct:,} different {kind} in {column.rows:,} rows, such as {example!r}"


def _given(name: str | None) -> Guess | None:
    return Guess(name, "as the options say") if name else None


def _find_time(profile: Profile, given: str | None) -> tuple[Guess | None, TimeFormat | None]:
    if given:
        written = time_format(profile.columns[given].sample)
        if written is None:
            sample = ", ".join(profile.columns[given].sample[:3])
            raise DataError(
                f"The times of column {given!r} ({sample}) are of no known form (epoch seconds or "
                "milliseconds, ISO 8601, or a date pattern): rewrite the column, or leave the time "
                "out and declare it in parameters/ingest.yml by a pattern of Java's "
                "DateTimeFormatter."
            )
        return Guess(given, "as the options say"), written
    found = {name: time_format(column.sample) for name, column in profile.columns.items()}
    usable = {name: form for name, form in found.items() if form and _may_be_time(name)}
    if not usable:
        return None, None
    best = max(usable, key=lambda name: (strength(name, "time"), profile.columns[name].distinct))
    weak = strength(best, "time") == 0
    return Guess(best, f"{usable[best].format}, {usable[best].seen}", weak), usable[best]


def _may_be_time(name: str) -> bool:
    if strength(name, "time"):
        return True
    return not any(strength(name, role) for role in ("user", "item", "rating", "price", "year"))


def _by_name(profile: Profile, role: str, other: str, taken: Collection[str]) -> Guess | None:
    """Return the column whose name says `role` most clearly, if any does."""

    def rank(name: str) -> tuple[int, int]:
        return strength(name, role), profile.columns[name].distinct

    named = [
        name
        for name in profile.columns
        if name not in taken
        and strength(name, role) > strength(name, other)
        and strength(name, "title") == 0
    ]
    best = max(named, key=rank, default=None)
    if best is None or (strength(best, role) == 1 and _clearer_left(profile, best, taken)):
        return None
    return Guess(best, f"its name says {role}; {describe(profile.columns[best])}")


def _clearer_left(profile: Profile, name: str, taken: Collection[str]) -> bool:
    """Tell whether `name` is only an attribute: another column decides its value."""
    return any(
        name in dependents(profile, key)
        and profile.columns[key].distinct > profile.columns[name].distinct
        for key in profile.columns
        if key != name and key not in taken
    )


def _by_content(
    profile: Profile, user: Guess | None, item: Guess | None, taken: Collection[str]
) -> tuple[Guess, Guess]:
    """Fill in the side that names did not tell, from the columns that look like ids."""
    known = {guess.column for guess in (user, item) if guess}
    looks = _id_like(profile, {*taken, *known})
    followers = {follower for key in (*known, *looks) for follower in _attributes(profile, key)}
    left = [name for name in looks if name not in followers]
    wanted = 2 - len(known)
    if len(left) != wanted:
        raise DataError(_undecided(profile, user, item, left or looks))
    if user and not item:
        return user, _guess(profile, left[0], "the only other column of repeated ids")
    if item and not user:
        return _guess(profile, left[0], "the only other column of repeated ids"), item
    first, second = left if not _describes_items(profile, left[0]) else reversed(left)
    why = "the names say nothing; taken by "
    why += "its attributes" if _describes_items(profile, second) else "position, the user first"
    return _guess(profile, first, why), _guess(profile, second, why)


def _id_like(profile: Profile, taken: Collection[str]) -> list[str]:
    """Return the columns of repeated values that are neither fractions nor ratings nor events."""
    columns = [column for name, column in profile.columns.items() if name not in taken]
    repeated = [
        column
        for column in columns
        if column.distinct > 1
        and column.distinct < 0.95 * column.filled
        and column.filled > 0.9 * column.rows
        and (column.is_int64 or not column.numbers or _leading_zeros(column))
        and not strength(column.name, "rating")
        and not strength(column.name, "event")
        and not strength(column.name, "split")
    ]
    return [column.name for column in repeated if column.distinct > FEW]


def _leading_zeros(column: Column) -> bool:
    return all(text.strip().isdigit() for text in column.sample)


def _attributes(profile: Profile, key: str) -> list[str]:
    """Return the columns that follow from `key` and do not decide it in turn."""
    distinct = profile.columns[key].distinct
    return [
        name
        for name in dependents(profile, key)
        if profile.columns[name].distinct < distinct
        or list(profile.columns).index(name) > list(profile.columns).index(key)
    ]


def _describes_items(profile: Profile, key: str) -> bool:
    roles = ("title", "genres", "category", "brand", "price", "year")
    return any(strength(name, role) for name in dependents(profile, key) for role in roles)


def _guess(profile: Profile, name: str, why: str) -> Guess:
    return Guess(name, f"{why}; {describe(profile.columns[name])}", weak=True)


def _undecided(
    profile: Profile, user: Guess | None, item: Guess | None, left: Collection[str]
) -> str:
    found = "; ".join(f"{name!r}: {describe(profile.columns[name])}" for name in left)
    options = [f"--{role}-column" for role, guess in (("user", user), ("item", item)) if not guess]
    return (
        f"{profile.form.path}: {_known(user, 'user')}, {_known(item, 'item')}. Columns that look "
        f"like ids: {found or 'none'}. All columns: {', '.join(profile.columns)}. Say it by "
        f"{' and '.join(options)}."
    )


def _known(guess: Guess | None, role: str) -> str:
    return f"the {role} is {guess.column!r}" if guess else f"no column is surely the {role}"
