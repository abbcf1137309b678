"""The next batches are made while the step before them runs."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Self, TypeVar, final

T = TypeVar("T")

_DEPTH = 2


def ahead(make: Callable[[int], T], indices: Iterable[int]) -> Iterator[T]:
    """Yield `make(index)` for each index, made in one thread of its own, a few ahead."""
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(1, thread_name_prefix="feed") as thread:
        for index in indices:
            waiting.append(thread.submit(make, index))
            if len(waiting) > _DEPTH:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@final
class Timed(Generic[T]):
    """An iterator that knows how many `seconds` were spent waiting for its items."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self.seconds = 0.0

    def __iter__(self) -> Self:
        """Return itself."""
        return self

    def __next__(self) -> T:
        """Return the next item."""
        asked = time.perf_counter()
        try:
            return next(self._items)
        finally:
            self.seconds += time.perf_counter() - asked
