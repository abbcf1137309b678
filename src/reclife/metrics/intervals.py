"""95 % intervals from resamples (percentile method), and the resampled areas under curves."""

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from reclife.metrics.classification import Curve
from reclife.metrics.resampling import Resamples
from reclife.metrics.sums import summed

Vector = npt.NDArray[np.floating]
Codes = npt.NDArray[np.integer]
Draws = npt.NDArray[np.floating]

CHUNK_CELLS = 1 << 22
EXACT_CELLS = 1 << 28
"""Rows times resamples up to which each resample's area is counted out; beyond, linearised."""


@final
@dataclass(frozen=True)
class Interval:
    """Bounds of a 95 % interval; None where no resample gives a value."""

    low: float | None
    high: float | None


def interval(draws: Draws) -> Interval:
    """Return the 2.5 and 97.5 percentiles of the resampled values, NaN left out."""
    known = draws[np.isfinite(draws)]
    if not len(known):
        return Interval(None, None)
    low, high = np.percentile(known, [2.5, 97.5])
    return Interval(float(low), float(high))


class Areas(NamedTuple):
    """The areas under the ROC and the precision-recall curve."""

    auc: Draws
    average_precision: Draws


def resampled_areas(
    labels: Vector, found: Curve, users: Codes, resamples: Resamples, exact: bool | None = None
) -> Areas:
    """Return the areas of each resample, `[R]` each.

    The scores are sorted once; a resample only reweighs the events by its user's count. Many events
    are not reweighed one by one: the area is then taken as linear in the users' counts around 1
    (the infinitesimal jackknife, Efron & Tibshirani 1993, ch. 22), in one pass over the rows.

    Args:
        labels: `[N]` 0 or 1.
        found: `curve` of the labels and their scores.
        users: `[N]` user number.
        resamples: Which users each resample draws.
        exact: Whether to reweigh every event; by default, up to `EXACT_CELLS`.
    """
    if exact is None:
        exact = len(labels) * len(resamples.counts) <= EXACT_CELLS
    units = resamples.units(users)
    if not exact:
        slopes = area_slopes(labels, found, units, resamples.counts.shape[1])
        counts = found.ones.astype(float), found.zeros.astype(float)
        return Areas(
            np.clip(_auc(*counts) + resamples.counts @ slopes.auc, 0.0, 1.0),
            np.clip(
                _average_precision(*counts) + resamples.counts @ slopes.average_precision, 0.0, 1.0
            ),
        )
    order = np.argsort(found.group, kind="stable")
    owners, positive = units[order], labels[order] > 0
    starts = np.flatnonzero(np.diff(found.group[order], prepend=-1))
    step = max(1, CHUNK_CELLS // max(1, len(order)))
    parts = []
    for at in range(0, len(resamples.counts), step):
        weights = resamples.counts[at : at + step][:, owners]
        ones = np.add.reduceat(weights * positive, starts, axis=1)
        zeros = np.add.reduceat(weights * ~positive, starts, axis=1)
        parts.append(np.stack([_auc(ones, zeros), _average_precision(ones, zeros)]))
    return Areas(*np.concatenate(parts, axis=1))


def _auc(ones: Vector, zeros: Vector) -> Vector:
    """Return the area under the ROC curve from counts at each score, best first `[..., G]`."""
    below = zeros.sum(axis=-1, keepdims=True) - np.cumsum(zeros, axis=-1) + zeros / 2
    pairs = ones.sum(axis=-1) * zeros.sum(axis=-1)
    area: Vector = (ones * below).sum(axis=-1) / np.where(pairs, pairs, np.nan)
    return area


def _average_precision(ones: Vector, zeros: Vector) -> Vector:
    above = np.cumsum(ones, axis=-1)
    listed = above + np.cumsum(zeros, axis=-1)
    total = ones.sum(axis=-1)
    gained = (ones * above / np.where(listed, listed, 1.0)).sum(axis=-1)
    area: Vector = gained / np.where(total, total, np.nan)
    return area


def area_slopes(labels: Vector, found: Curve, units: Codes, n_units: int) -> Areas:
    """Return how each area changes with a unit's weight, `[G]` each; both sum to 0."""
    ones, zeros = found.ones.astype(float), found.zeros.astype(float)
    total, rest = ones.sum(), zeros.sum()
    above, listed = np.cumsum(ones), np.cumsum(ones + zeros)
    precision = above / listed
    auc = _auc(ones, zeros)
    of_one = (rest - np.cumsum(zeros) + zeros / 2) / (total * rest) - auc / total
    of_zero = (above - ones / 2) / (total * rest) - auc / rest
    gains = _from_here(ones * (listed - above) / listed**2)
    losses = _from_here(ones * above / listed**2)
    pr_of_one = (precision + gains - _average_precision(ones, zeros)) / total
    positive, group = labels > 0, found.group
    auc_slope = np.where(positive, of_one[group], of_zero[group])
    pr_slope = np.where(positive, pr_of_one[group], -losses[group] / total)
    return Areas(summed(auc_slope, units, n_units), summed(pr_slope, units, n_units))


def _from_here(values: Vector) -> Vector:
    """Return the sum of each value and all behind it."""
    return np.cumsum(values[::-1])[::-1]
