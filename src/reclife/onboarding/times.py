"""Recognises how event times are written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

SECONDS = (100_000_000, 4_200_000_000)
"""Seconds since the epoch from 1973 to 2103."""


@final
@dataclass(frozen=True)
class TimeFormat:
    """A format as `ingest` declares it, and what speaks for it."""

    format: str
    seen: str
    zoned: bool = True
    """Whether the texts name their time zone, or need none."""


_CLOCK = {
    r"\d{1,2}:\d{1,2}:\d{1,2}": "H:m:s",
    r"\d{1,2}:\d{1,2}": "H:m",
    "": "",
}
_YEAR_FIRST = {
    r"\d{4}/\d{1,2}/\d{1,2}": "yyyy/M/d",
    r"\d{4}\.\d{1,2}\.\d{1,2}": "yyyy.M.d",
    r"\d{4}年\d{1,2}月\d{1,2}日": "yyyy'年'M'月'd'日'",
    r"\d{4}-\d{1,2}-\d{1,2}": "yyyy-M-d",
    r"\d{1,2}\.\d{1,2}\.\d{4}": "d.M.yyyy",
}
_COMPACT = {r"(19|20)\d{12}": "yyyyMMddHHmmss", r"(19|20)\d\d(0\d|1[0-2])[0-3]\d": "yyyyMMdd"}
_ISO = r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+)?)?"
_ZONE = r" ?(Z|[+-]\d\d(:?\d\d)?)"


def time_format(texts: Sequence[str]) -> TimeFormat | None:
    """Return the format that nearly all (99 %) of `texts` follow, else None."""
    stripped = [text.strip() for text in texts]
    if not stripped:
        return None
    return _compact(stripped) or _epoch(stripped) or _iso(stripped) or _pattern(stripped)


def _fits(texts: Sequence[str], regex: str) -> bool:
    matching = re.compile(regex).fullmatch
    return sum(matching(text) is not None for text in texts) >= 0.99 * len(texts)


def _compact(texts: Sequence[str]) -> TimeFormat | None:
    for regex, pattern in _COMPACT.items():
        if _fits(texts, regex):
            return TimeFormat(pattern, f"such as {texts[0]}", zoned=False)
    return None


def _epoch(texts: Sequence[str]) -> TimeFormat | None:
    if not _fits(texts, r"\d+(\.\d+)?"):
        return None
    middle = sorted(float(text) for text in texts if text[:1].isdigit())[len(texts) // 2]
    for scale, name in ((1, "epoch_seconds"), (1000, "epoch_milliseconds")):
        if SECONDS[0] * scale <= middle <= SECONDS[1] * scale:
            return TimeFormat(name, f"numbers such as {texts[0]}")
    return None


def _iso(texts: Sequence[str]) -> TimeFormat | None:
    if _fits(texts, _ISO + _ZONE):
        return TimeFormat("iso", f"such as {texts[0]}")
    if _fits(texts, f"{_ISO}({_ZONE})?"):
        return TimeFormat("iso", f"such as {texts[0]}", zoned=False)
    return None


def _pattern(texts: Sequence[str]) -> TimeFormat | None:
    days = {**_YEAR_FIRST, r"\d{1,2}/\d{1,2}/\d{4}": _day_or_month(texts)}
    for day, date in days.items():
        for clock, time in _CLOCK.items():
            for between, written in ((" ", " "), ("T", "'T'")):
                regex = f"{day}{between}{clock}" if clock else day
                if _fits(texts, regex):
                    pattern = f"{date}{written}{time}" if time else date
                    return TimeFormat(pattern, f"such as {texts[0]}", zoned=False)
    return None


def _day_or_month(texts: Sequence[str]) -> str:
    """Return the order of `1/2/2024`: a first number above 12 is a day."""
    firsts = [int(text.split("/")[0]) for text in texts if text.split("/")[0].isdigit()]
    return "d/M/yyyy" if any(first > 12 for first in firsts) else "M/d/yyyy"
