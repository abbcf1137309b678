"""Sums by a number: a user, a query, a group of equal scores."""

import numpy as np
import numpy.typing as npt


def summed(
    values: npt.NDArray[np.number], numbers: npt.NDArray[np.integer], count: int
) -> npt.NDArray[np.float64]:
    """Return the sum of the values of each number 0 .. `count` - 1, `[count]`."""
    return np.bincount(numbers, weights=values, minlength=count).astype(np.float64)
