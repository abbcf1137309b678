"""What a column's name says, in several languages."""

import re
import unicodedata
from collections.abc import Mapping
from importlib.resources import files

import yaml

ROLES: Mapping[str, str] = yaml.safe_load(
    files("reclife.onboarding").joinpath("words.yml").read_text(encoding="utf-8")
)
"""Words of column names by role, one text each."""

_IDENTIFIER = (
    *("ids", "id", "nr", "no", "num", "number", "code", "key", "index", "idx", "nummer", "numéro"),
    *("hash", "uuid", "номер", "ид", "编号", "番号", "代码", "号", "번호", "아이디"),
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPLIT = re.compile(r"[^\w]+|_+")
_KNOWN = {role: frozenset(words.casefold().split()) for role, words in ROLES.items()}
_ANY = frozenset().union(*_KNOWN.values())


def strength(name: str, role: str) -> int:
    """Return how clearly `name` says `role`.

    0 not at all, 1 among other words (`user name`), 2 alone (`user`), 3 as an id (`user_id`).
    """
    words = _words(name)
    whole = [word for word in words if word in _KNOWN[role]]
    if not whole:
        parts = [known for known in _KNOWN[role] if _ideographic(known)]
        return int(any(known in word for known in parts for word in words))
    rest = [word for word in words if word not in whole]
    if not rest:
        return 2
    return 3 if all(word in _IDENTIFIER for word in rest) else 1


def slug(name: str) -> str:
    """Return `name` as a lower-case identifier of ASCII letters, or nothing when there is none."""
    plain = unicodedata.normalize("NFKD", "_".join(_words(name)))
    kept = re.sub(r"[^a-z0-9]+", "_", plain.encode("ascii", "ignore").decode()).strip("_")
    return kept if kept[:1].isalpha() and not _ideographic(name) else ""


def _words(name: str) -> list[str]:
    spaced = _CAMEL.sub(" ", unicodedata.normalize("NFKC", name))
    words = [word for word in _SPLIT.split(spaced.casefold()) if word]
    return [part for word in words for part in _without_identifier(word)]


def _without_identifier(word: str) -> list[str]:
    """Cut the end off `kundennummer`, `userid` and `用户编号`."""
    if word in _ANY:
        return [word]
    for end in _IDENTIFIER:
        start = word.removesuffix(end)
        if start != word and (start in _ANY or _ideographic(start)):
            return [start, end]
    return [word]


def _ideographic(text: str) -> bool:
    return any("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in text)
