"""How many copies of a model take part in a step, and what makes one gradient of theirs."""

import abc
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, final

from numpy.typing import NDArray

Array = NDArray[Any]
Tensor = Any


class Replicas(abc.ABC):
    """Copies of a model, some in this process, that move alike.

    `mean`, `together` and `run` are called while a step is traced.
    """

    count: int
    """How many copies there are in all."""

    local: range
    """Which of them are in this process."""

    @property
    def lead(self) -> bool:
        """Whether the first copy is in this process."""
        return 0 in self.local

    @abc.abstractmethod
    def scope(self) -> AbstractContextManager[object]:
        """Return the context in which variables get their copies."""

    @abc.abstractmethod
    def run(self, step: Callable[[Any], Any], batches: Sequence[Any]) -> Any:
        """Return the first result of `step`, called once for each copy here on its batch."""

    @abc.abstractmethod
    def mean(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return the means of `tensors` over all copies."""

    @abc.abstractmethod
    def together(self, ids: Tensor, rows: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Return the distinct ids `[U]` over all copies and the mean of their `rows` `[U, D]`.

        Args:
            ids: Distinct rows of a table, int64 `[u]`.
            rows: Something of each, `[u, D]`; zero for ids that a copy does not have.
            size: How many rows the table has.
        """

    @abc.abstractmethod
    def dense(self, gradients: Sequence[Tensor]) -> list[Tensor]:
        """Return mean `gradients` as a Keras optimiser takes them, which sums over the copies."""

    @abc.abstractmethod
    def gather(self, parts: Array) -> Array:
        """Return the rows of all processes, one below the other, from those of this one."""


@final
class Alone(Replicas):
    """One copy in this process: nothing has to travel."""

    count = 1
    local = range(1)

    def scope(self) -> AbstractContextManager[object]:
        """Return a context that changes nothing."""
        return nullcontext()

    def run(self, step: Callable[[Any], Any], batches: Sequence[Any]) -> Any:
        """Return what `step` returns for the only batch."""
        return step(batches[0])

    def mean(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Return `tensors`."""
        return list(tensors)

    def together(self, ids: Tensor, rows: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Return what is given."""
        del size
        return ids, rows

    def dense(self, gradients: Sequence[Tensor]) -> list[Tensor]:
        """Return `gradients`."""
        return list(gradients)

    def gather(self, parts: Array) -> Array:
        """Return `parts`."""
        return parts
