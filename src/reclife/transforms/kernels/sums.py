"""Exact sums of numbers and of their squares, whatever the order of the numbers."""

from typing import NamedTuple

import numpy as np

from reclife.errors import DataError
from reclife.transforms.kernels.arrays import Floats
from reclife.transforms.kernels.timeline import SCALE

_BITS = 21
_LARGEST = 2.0**61
_ROWS = 2**19


class Sums(NamedTuple):
    """Count, sum and sum of squares of whole multiples of 1 / SCALE, and the range."""

    rows: int = 0
    total: int = 0
    squares: int = 0
    smallest: float = np.inf
    largest: float = -np.inf

    def __add__(self, other: "Sums") -> "Sums":  # type: ignore[override]
        return Sums(
            self.rows + other.rows,
            self.total + other.total,
            self.squares + other.squares,
            min(self.smallest, other.smallest),
            max(self.largest, other.largest),
        )

    @property
    def mean(self) -> float:
        """The mean, 0 of nothing."""
        return self.total / SCALE / self.rows if self.rows else 0.0

    @property
    def deviation(self) -> float:
        """The population standard deviation, 1 of a constant or of nothing."""
        variance = self.squares * self.rows - self.total**2
        return float((variance / (self.rows * SCALE) ** 2) ** 0.5) if variance > 0 else 1.0


def exact_sums(values: Floats) -> Sums:
    """Return the sums of numbers none of which is NaN, [N].

    Raises:
        DataError: A number is too large.
    """
    found = Sums()
    for start in range(0, len(values), _ROWS):
        found += _exact(values[start : start + _ROWS])
    return found


def _exact(values: Floats) -> Sums:
    """Sum limbs of 21 bits: neither a limb's product nor the sum of 2^19 of them is too long."""
    smallest, largest = float(values.min()), float(values.max())
    if max(-smallest, largest) * SCALE >= _LARGEST:
        raise DataError(f"numbers from {smallest:g} to {largest:g} are too large to be summed")
    whole = np.rint(values * SCALE).astype(np.int64)
    mask = 2**_BITS - 1
    limbs = (whole & mask, (whole >> _BITS) & mask, whole >> 2 * _BITS)
    total = sum(int(limb.sum()) << _BITS * place for place, limb in enumerate(limbs))
    squares = sum(
        int(np.dot(left, right)) << _BITS * (i + j)
        for i, left in enumerate(limbs)
        for j, right in enumerate(limbs)
    )
    return Sums(len(values), total, squares, smallest, largest)
