"""What a step of a retrieval model trains on, drawn anew for every epoch from the seed alone."""

import abc
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from reclife.retrieval.interactions import Ints
from reclife.runtime.seeds import derive
from reclife.training.retrieval.sequences import Sequences

_POOL = 16
"""Batches whose windows are sorted by length together, so that little is padding."""


@final
@dataclass(frozen=True)
class Batch:
    """R queries and their M targets.

    Attributes:
        inputs: What the model encodes into R queries, by name.
        rows: `[M]` the query of each target.
        targets: `[M]` item columns.
    """

    inputs: dict[str, Ints]
    rows: Ints
    targets: Ints


class Batches(abc.ABC):
    """The batches of an epoch."""

    def __init__(self, sequences: Sequences, size: int, seed: int) -> None:
        self.sequences, self.size, self.seed = sequences, size, seed

    @abc.abstractmethod
    def epoch(self, number: int) -> Iterator[Batch]:
        """Yield the batches of epoch `number`."""

    @abc.abstractmethod
    def __len__(self) -> int:
        """Return the number of batches of an epoch."""

    def random(self, epoch: int) -> np.random.Generator:
        """Return the generator of an epoch."""
        return np.random.default_rng(derive(self.seed, "batches", epoch))


@final
class UserBatches(Batches):
    """Users, and everything each has met as targets."""

    def epoch(self, number: int) -> Iterator[Batch]:
        """Yield users in random order."""
        order = self.random(number).permutation(len(self.sequences))
        offsets, columns = self.sequences.offsets, self.sequences.columns
        for users in np.array_split(order, len(self)):
            places, rows = ranges(offsets[users], offsets[users + 1])
            yield Batch({"user": users}, rows, columns[places])

    def __len__(self) -> int:
        """Return the number of batches."""
        return math.ceil(len(self.sequences) / self.size)


class WindowBatches(Batches):
    """Windows of the histories, padded on the left to the longest of the batch."""

    def __init__(self, sequences: Sequences, size: int, seed: int, length: int) -> None:
        super().__init__(sequences, size, seed)
        self.starts, self.stops = self.cut(length)

    @abc.abstractmethod
    def cut(self, length: int) -> tuple[Ints, Ints]:
        """Return where the windows start and stop."""

    @abc.abstractmethod
    def batch(self, history: Ints, random: np.random.Generator) -> Batch:
        """Return the batch over padded windows of ids `[B, T]`."""

    def epoch(self, number: int) -> Iterator[Batch]:
        """Yield windows of similar length together."""
        random = self.random(number)
        order = random.permutation(len(self.starts))
        lengths = self.stops - self.starts
        groups = []
        for pool in np.array_split(order, math.ceil(len(order) / (self.size * _POOL))):
            ranked = pool[np.argsort(lengths[pool], kind="stable")]
            groups += np.array_split(ranked, math.ceil(len(ranked) / self.size))
        for group in random.permutation(len(groups)):
            chosen = groups[group]
            yield self.batch(self._padded(self.starts[chosen], self.stops[chosen]), random)

    def __len__(self) -> int:
        """Return the number of batches, up to one a pool."""
        return math.ceil(len(self.starts) / self.size)

    def _padded(self, starts: Ints, stops: Ints) -> Ints:
        places, rows = ranges(starts, stops)
        longest = int((stops - starts).max())
        padded = np.zeros((len(starts), longest), np.int64)
        padded[rows, places - stops[rows] + longest] = self.sequences.columns[places] + 1
        return padded


@final
class NextBatches(WindowBatches):
    """Each place predicts the item after it."""

    def cut(self, length: int) -> tuple[Ints, Ints]:
        """Return windows of one more than `length`: the first is no target, the last no input."""
        return self.sequences.windows(length + 1, overlap=1)

    def batch(self, history: Ints, random: np.random.Generator) -> Batch:  # noqa: ARG002
        """Return the places that have both a past and a next item."""
        return _batch(history[:, :-1], np.where(history[:, :-1] > 0, history[:, 1:], 0))


@final
class OthersBatches(WindowBatches):
    """Each place is predicted from all the others."""

    def cut(self, length: int) -> tuple[Ints, Ints]:
        """Return windows of `length` that hold more than one item."""
        starts, stops = self.sequences.windows(length, overlap=0)
        several = stops - starts > 1
        return starts[several], stops[several]

    def batch(self, history: Ints, random: np.random.Generator) -> Batch:  # noqa: ARG002
        """Return all places."""
        return _batch(history, history)


@final
class MaskedBatches(WindowBatches):
    """Masked places are predicted; one at least of each window, at times the last alone."""

    def __init__(
        self, sequences: Sequences, size: int, seed: int, length: int, share: float
    ) -> None:
        super().__init__(sequences, size, seed, length)
        self.share = share
        self.mask = int(sequences.columns.max()) + 2

    def cut(self, length: int) -> tuple[Ints, Ints]:
        """Return windows of `length`."""
        return self.sequences.windows(length, overlap=0)

    def batch(self, history: Ints, random: np.random.Generator) -> Batch:
        """Return the windows with a mask at each target."""
        chosen = (random.random(history.shape) < self.share) & (history > 0)
        chosen[:, -1] |= ~chosen.any(axis=1)
        return _batch(np.where(chosen, self.mask, history), np.where(chosen, history, 0))


def _batch(history: Ints, targets: Ints) -> Batch:
    """Return the batch whose queries are the places with a target id."""
    places = np.flatnonzero(targets)
    inputs = {"history": history, "places": places}
    return Batch(inputs, np.arange(len(places)), targets.ravel()[places] - 1)


def ranges(starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """Return all places of the ranges [start, stop), and the number of the range of each."""
    lengths = stops - starts
    rows = np.repeat(np.arange(len(starts)), lengths)
    begins = np.cumsum(lengths) - lengths
    return np.arange(len(rows)) + (starts - begins)[rows], rows
