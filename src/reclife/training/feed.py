"""The next batches are made while the step before them runs."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

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
