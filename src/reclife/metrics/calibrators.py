"""Monotone maps that make chances come true, fitted on predictions of rows held back from training.

Neither changes an order between two users' rows, but isotonic may tie what was apart.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from reclife.contracts import Calibration, Isotonic, Platt
from reclife.errors import DataError

Vector = npt.NDArray[np.floating]

TINY = 1e-7
_STEPS, _TOLERANCE = 100, 1e-12


def calibrated(calibration: Calibration | None, probabilities: Vector) -> npt.NDArray[np.float64]:
    """Return the mapped probabilities `[N]`; without a map, the same.

    Platt: `sigmoid(slope logit(p) + intercept)`. Isotonic: linear between the knots, constant
    outside of them.
    """
    p = np.asarray(probabilities, np.float64)
    match calibration:
        case None:
            return p
        case Platt():
            return _sigmoid(calibration.slope * _logit(p) + calibration.intercept)
        case Isotonic():
            return np.interp(p, calibration.knots, calibration.values)


def fit(kind: Literal["platt", "isotonic"], labels: Vector, probabilities: Vector) -> Calibration:
    """Fit the map of a kind.

    Raises:
        DataError: There are no events, all have the same label, or a chance is not a number.
    """
    if wrong := int((~np.isfinite(probabilities)).sum()):
        raise DataError(
            f"calibration: {wrong} of {len(probabilities)} chances of the validation part are not "
            "numbers; train again, with a smaller learning rate or clipped gradients."
        )
    ones = int((np.asarray(labels) > 0).sum())
    if not 0 < ones < len(labels):
        what = f"{len(labels)} labelled events" + (", all alike" if len(labels) else "")
        raise DataError(
            f"calibration: the validation part has {what}, but both labels are needed; hold back "
            "a larger part, or set evaluation.calibration to null."
        )
    return (
        fit_platt(labels, probabilities) if kind == "platt" else fit_isotonic(labels, probabilities)
    )


def fit_platt(labels: Vector, probabilities: Vector) -> Platt:
    """Fit slope and intercept on the logits (Platt 1999, "Probabilistic Outputs for SVMs").

    By Newton's method, towards Platt's targets `(n1 + 1) / (n1 + 2)` and `1 / (n0 + 2)`, so that
    perfectly separated rows do not give an infinite slope.
    """
    positive = np.asarray(labels) > 0
    ones, zeros = int(positive.sum()), int((~positive).sum())
    targets = np.where(positive, (ones + 1) / (ones + 2), 1 / (zeros + 2))
    inputs = np.stack([_logit(np.asarray(probabilities, np.float64)), np.ones(len(targets))])
    weights = np.array([1.0, 0.0])
    value = _objective(inputs, targets, weights)
    for _ in range(_STEPS):
        chances = _sigmoid(weights @ inputs)
        gradient = inputs @ (chances - targets)
        curvature = (inputs * (chances * (1 - chances))) @ inputs.T + 1e-12 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        while (after := _objective(inputs, targets, weights - step)) > value:
            step /= 2
            if np.abs(step).max() < _TOLERANCE:
                break
        if np.abs(step).max() < _TOLERANCE:
            break
        weights, value = weights - step, after
    return Platt(slope=float(weights[0]), intercept=float(weights[1]))


def fit_isotonic(labels: Vector, probabilities: Vector) -> Isotonic:
    """Fit the monotone map of least squares (pool adjacent violators, Ayer et al. 1955).

    The knots are both ends of every pool, so that the map is linear between two pools.
    """
    from scipy.optimize import isotonic_regression

    p, inverse, counts = np.unique(
        np.asarray(probabilities, np.float64), return_inverse=True, return_counts=True
    )
    mean = np.bincount(inverse, weights=(np.asarray(labels) > 0).astype(float)) / counts
    values = isotonic_regression(mean, weights=counts.astype(float)).x
    change = np.flatnonzero(np.diff(values) > 0)
    ends = np.unique(np.r_[0, change, change + 1, len(p) - 1])
    return Isotonic(knots=tuple(p[ends].tolist()), values=tuple(values[ends].tolist()))


def _objective(inputs: Vector, targets: Vector, weights: Vector) -> float:
    logits = weights @ inputs
    return float((np.logaddexp(0.0, logits) - targets * logits).sum())


def _logit(p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    inside = np.clip(p, TINY, 1 - TINY)
    logits: npt.NDArray[np.float64] = np.log(inside) - np.log1p(-inside)
    return logits


def _sigmoid(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    chances: npt.NDArray[np.float64] = 0.5 * (1.0 + np.tanh(0.5 * logits))
    return chances
