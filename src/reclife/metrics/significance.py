"""Whether two models differ by more than chance, on the same users."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.floating]

CHUNK_CELLS = 1 << 22


def bootstrap_p(draws: Vector) -> float:
    """Return the two-sided p-value of a difference from its resampled values `[R]`.

    Twice the share of resamples on the other side of 0, the observed one counted among them
    (Davison & Hinkley 1997, ch. 4). NaN without a value.
    """
    known = draws[np.isfinite(draws)]
    if not len(known):
        return float("nan")
    other_side = min(int((known <= 0).sum()), int((known >= 0).sum()))
    return min(1.0, 2 * (other_side + 1) / (len(known) + 1))


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values of several tests adjusted for their number (Holm 1979)."""
    count, largest = len(values), 0.0
    adjusted = [0.0] * count
    for place, number in enumerate(sorted(range(count), key=lambda i: values[i])):
        largest = max(largest, min(1.0, (count - place) * values[number]))
        adjusted[number] = largest
    return adjusted


def sign_flip_p(differences: Vector, rounds: int, seed: int) -> float:
    """Return the p-value of the paired randomisation test (Fisher-Pitman; Smucker et al. 2007).

    If the models were alike, a user's difference could as well have the other sign: the share of
    `rounds` random choices of all signs whose sum is at least as far from 0, the observed one
    counted among them.

    Args:
        differences: `[U]` what each user adds to the difference of the metric.
        rounds: Number of choices.
        seed: Of the choices.
    """
    some = differences[differences != 0]
    observed = abs(float(some.sum())) * (1 - 1e-12)
    rng = np.random.default_rng(seed)
    step = max(1, CHUNK_CELLS // max(1, len(some)))
    beyond = 0
    for start in range(0, rounds, step):
        signs = rng.integers(0, 2, size=(min(step, rounds - start), len(some)), dtype=np.int8)
        beyond += int((np.abs((2.0 * signs - 1.0) @ some) >= observed).sum())
    return (beyond + 1) / (rounds + 1)
