"""Progress of long work: a bar on a terminal, a line now and then in a log."""

import logging
import sys
import time
from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_LOG_EVERY_SECONDS = 15.0


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Yield `items`, showing how far they have come.

    Args:
        items: What to go through.
        description: What is being done, in a few words.
        total: How many there are, when `items` has no length of its own.
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    show = _bar if sys.stderr.isatty() else _lines
    return show(items, description, total)


def _bar(items: Iterable[T], description: str, total: int | None) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import track as rich_track

    yield from rich_track(
        items, description, total=total, console=Console(stderr=True), transient=True
    )


def _lines(items: Iterable[T], description: str, total: int | None) -> Iterator[T]:
    last = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - last >= _LOG_EVERY_SECONDS:
            last = time.monotonic()
            _LOG.info("%s: %s of %s", description, f"{done:,}", f"{total:,}" if total else "?")
        yield item
