"""Rows as single integers, so that one sort of plain numbers answers every question of order.

A key holds, from its highest bit down, the user, the score and the label: sorted, the rows of a
user stand together, worst score first, and among equal scores the negatives before the positives.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from reclife.errors import DataError

Vector = npt.NDArray[np.floating]
Codes = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.unsignedinteger]

LABEL_BITS = np.uint8(1)
USER_SHIFT = 33
"""Below the user: 32 bits of the score and one of the label."""
SIGN = np.uint32(1 << 31)
PLACE_BITS = np.uint64(32)
MAX_USERS = 2 ** (64 - USER_SHIFT)
FEW = 3
"""Equal scores that are counted one by one."""


def score_keys(scores: Vector) -> npt.NDArray[np.uint32]:
    """Return integers that are ordered, and equal, exactly as the scores are `[N]`.

    A float32 is its own bits, the negative ones turned round; other types are numbered by rank.

    Raises:
        DataError: A score is not a number.
    """
    if np.isnan(scores).any():
        raise DataError(f"{int(np.isnan(scores).sum())} of {len(scores)} scores are not numbers.")
    if scores.dtype != np.float32:
        return np.unique(scores, return_inverse=True)[1].astype(np.uint32)
    bits: npt.NDArray[np.uint32] = np.ascontiguousarray(scores).view(np.uint32)
    if bits.max(initial=0) < SIGN:
        return bits
    bits = np.where(bits == SIGN, np.uint32(0), bits)  # -0 equals 0
    return np.where(bits >= SIGN, ~bits, bits | SIGN)


def descending(values: npt.NDArray[np.uint32]) -> tuple[Codes, npt.NDArray[np.uint64]]:
    """Return the order of the values, the largest first, and the values in it, `[N]` each.

    A value and its place are sorted as one number, which is several times faster than an argsort;
    of equal values the last comes first.
    """
    packed = values.astype(np.uint64)
    packed <<= PLACE_BITS
    packed |= np.arange(len(values), dtype=np.uint32)
    packed.sort()
    packed = packed[::-1]
    return packed.astype(np.uint32), packed >> PLACE_BITS


def row_keys(positives: Bools, scores: Vector) -> Keys:
    """Return the keys of the rows without their users `[N]`, of 4 bytes where no sign needs more.

    Raises:
        DataError: A score is not a number.
    """
    values = score_keys(scores)
    narrow = values.max(initial=0) < SIGN
    keys: Keys = values.astype(np.uint32 if narrow else np.uint64)
    keys <<= LABEL_BITS
    keys |= positives
    return keys


def user_keys(rows: Keys, users: Codes) -> Keys:
    """Return the keys `[N]` of rows with their users above.

    Raises:
        DataError: There are more users than a key can hold.
    """
    if users.max(initial=0) >= MAX_USERS:
        raise DataError(f"More than {MAX_USERS} users cannot be told apart here.")
    keys: Keys = users.astype(np.uint64)
    keys <<= np.uint64(USER_SHIFT)
    keys |= rows
    return keys


def positive_places(keys: Keys) -> Codes:
    """Return the places of the positives among sorted keys, ascending."""
    last_bits = keys.astype(np.uint8)
    last_bits &= 1
    return np.flatnonzero(last_bits.view(np.bool_))


def mixed_ties(keys: Keys) -> tuple[Codes, Codes, Codes]:
    """Return, of each group of equal scores with both labels, its keys' place and its counts.

    Returns:
        The place of its first positive, its negatives and its positives, `[T]` each.
    """
    border = np.flatnonzero((keys[1:] ^ keys[:-1]) == 1)
    return border + 1, _equal(keys, border, -1), _equal(keys, border + 1, 1)


def _equal(keys: Keys, places: Codes, step: int) -> Codes:
    """Return how many equal keys stand in a row from each place on, in the direction of `step`.

    Most groups are small: a few steps end them, and only the others are searched for.
    """
    counts = np.ones(len(places), np.int64)
    going = np.arange(len(places))
    for _ in range(FEW):
        at = places[going]
        beyond = keys.take(at + step * counts[going], mode="wrap")  # the other end is not equal
        going = going[beyond == keys[at]]
        counts[going] += 1
    own = keys[places[going]]
    side: Literal["left", "right"] = "right" if step > 0 else "left"
    end = np.searchsorted(keys, own, side=side)
    counts[going] = end - places[going] if step > 0 else places[going] + 1 - end
    return counts
