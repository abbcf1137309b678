"""Sorts the attributes of items and users: texts, categories, lists of categories, numbers."""

import statistics
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, final

from reclife.onboarding.names import ROLES, slug, strength
from reclife.onboarding.profile import Column, Profile

Kind = Literal["text", "category", "multi_category", "numeric"]
SEPARATORS = ("|", ";", "/", "、", ",")
MOST_CATEGORIES = 10_000
LONGEST_LIST = 20
_ROLES = [
    role for role in ROLES if role not in ("user", "item", "time", "rating", "event", "split")
]


@final
@dataclass(frozen=True)
class Attribute:
    """One attribute: the source column, its canonical name and what becomes of it."""

    source: str
    name: str
    kind: Kind
    seen: str
    type: Literal["int64", "string", "float64"] = "string"
    separator: str = ""
    max_length: int = 1
    missing: float = 0.0
    decimal: Literal[".", ","] = "."


def sort_attributes(
    profile: Profile, columns: Sequence[str], side: str, reserved: Collection[str]
) -> tuple[Attribute, ...]:
    """Return the usable ones of `columns`, in order; constant and empty columns are left out.

    Args:
        profile: The file that holds them.
        columns: The columns that describe the `side`.
        side: `item` or `user`, used for names that cannot be written in ASCII.
        reserved: Canonical names that are taken.
    """
    attributes: list[Attribute] = []
    for name in columns:
        column = profile.columns[name]
        if column.distinct < 2:
            continue
        names = {*reserved, *(attribute.name for attribute in attributes)}
        attributes.append(_attribute(column, _canonical(column, side, names)))
    return tuple(attributes)


def _canonical(column: Column, side: str, taken: Collection[str]) -> str:
    clear = [role for role in _ROLES if strength(column.name, role) >= 2]
    said = next((role for role in _ROLES if strength(column.name, role)), None)
    plain = slug(column.name)
    if said and not column.name.isascii():  # without its accents `año` is another word
        plain = said
    wanted = plain or f"{side}_attribute"
    if "title" in clear or (strength(column.name, "title") and side == "item"):
        wanted = "title"
    if side == "user" and not wanted.startswith("user"):
        wanted = f"user_{wanted}"
    names = [wanted, *(f"{wanted}_{number}" for number in range(2, 1000))]
    return next(name for name in names if name not in taken)


def _attribute(column: Column, name: str) -> Attribute:
    if name == "title":
        return Attribute(column.name, name, "text", "shown, not learned from")
    if _is_numeric(column):
        middle = statistics.median(column.numbers)
        comma = " with a decimal comma" if column.decimal == "," else ""
        seen = f"numbers{comma} from {min(column.numbers):g} to {max(column.numbers):g}"
        kind: Literal["int64", "float64"] = "int64" if column.is_int64 else "float64"
        return Attribute(
            column.name, name, "numeric", seen, kind, missing=middle, decimal=column.decimal
        )
    for separator in SEPARATORS:
        lists = [text.split(separator) for text in column.sample]
        if _are_lists(lists):
            longest = min(max(map(len, lists)), LONGEST_LIST)
            seen = f"lists cut at {separator!r}, such as {column.sample[0][:40]!r}"
            return Attribute(
                column.name, name, "multi_category", seen, separator=separator, max_length=longest
            )
    if column.distinct <= min(MOST_CATEGORIES, max(50, 0.3 * column.filled)):
        seen = f"{column.distinct:,} different values, such as {column.sample[0][:40]!r}"
        return Attribute(column.name, name, "category", seen)
    seen = f"{column.distinct:,} different texts: shown, not learned from"
    return Attribute(column.name, name, "text", seen)


def _is_numeric(column: Column) -> bool:
    if not column.numbers or len(column.numbers) < len(column.sample):
        return False
    measured = any(strength(column.name, role) for role in ("price", "age", "year", "count"))
    return measured or column.distinct > 20 or not column.is_int64


def _are_lists(lists: list[list[str]]) -> bool:
    """Tell lists of recurring parts from sentences: many are cut, and a part is seen often."""
    parts = Counter(part.strip() for one in lists for part in one)
    cut = sum(len(one) > 1 for one in lists)
    return cut >= 0.2 * len(lists) and len(parts) <= 1000 and parts.total() >= 4 * len(parts)
