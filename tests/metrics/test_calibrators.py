"""Calibrations against scikit-learn and the condition of the optimum."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from reclife.contracts import Isotonic, Platt
from reclife.errors import DataError
from reclife.metrics.calibration import reliability
from reclife.metrics.calibrators import calibrated, fit, fit_isotonic, fit_platt


def sample(seed: int, rows: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """Predictions that are too sure of themselves and too high."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=rows)
    labels = (rng.random(rows) < 1 / (1 + np.exp(-logits))).astype(float)
    return labels, 1 / (1 + np.exp(-(2 * logits + 1)))


@pytest.mark.parametrize("seed", range(4))
def test_isotonic_equals_scikit_learn(seed: int) -> None:
    labels, chances = sample(seed)
    chances = chances.round(2 if seed % 2 else 8)  # with ties and without
    reference = IsotonicRegression(out_of_bounds="clip").fit(chances, labels)
    fitted = fit_isotonic(labels, chances)
    where = np.linspace(0, 1, 501)
    np.testing.assert_allclose(calibrated(fitted, where), reference.predict(where), atol=1e-9)
    assert len(fitted.knots) < len(np.unique(chances)) + 1


@pytest.mark.parametrize("seed", range(4))
def test_platt_stands_at_the_optimum_of_its_targets(seed: int) -> None:
    labels, chances = sample(seed)
    fitted = fit_platt(labels, chances)
    ones, zeros = labels.sum(), (1 - labels).sum()
    targets = np.where(labels > 0, (ones + 1) / (ones + 2), 1 / (zeros + 2))
    gap = calibrated(fitted, chances) - targets
    logits = np.log(chances / (1 - chances))
    assert abs(gap.mean()) < 1e-9
    assert abs((gap * logits).mean()) < 1e-9
    assert fitted.slope == pytest.approx(0.5, abs=0.1)  # the predictions doubled the logit
    assert fitted.intercept == pytest.approx(-0.5, abs=0.15)


def test_separated_rows_give_a_finite_slope() -> None:
    fitted = fit_platt(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.1, 0.2, 0.8, 0.9]))
    assert 0 < fitted.slope < 10


@pytest.mark.parametrize("fit", [fit_platt, fit_isotonic])
def test_calibrating_makes_chances_come_true_and_keeps_the_order(fit) -> None:
    labels, chances = sample(0, 20_000)
    fitted = fit(labels, chances)
    other_labels, other = sample(1, 20_000)
    before = reliability(other_labels, other, 10).error
    after = reliability(other_labels, calibrated(fitted, other), 10).error
    assert after < before / 5
    ordered = calibrated(fitted, np.sort(other))
    assert (np.diff(ordered) >= 0).all()


@pytest.mark.parametrize("labels", [[], [1.0, 1.0]])
def test_one_label_alone_calibrates_nothing(labels: list[float]) -> None:
    with pytest.raises(DataError, match=f"has {len(labels)} labelled events.*both labels"):
        fit("platt", np.array(labels), np.full(len(labels), 0.5))


@pytest.mark.parametrize("kind", ["platt", "isotonic"])
def test_a_chance_that_is_no_number_calibrates_nothing(kind: str) -> None:
    with pytest.raises(DataError, match="1 of 3 chances of the validation part are not numbers"):
        fit(kind, np.array([0.0, 1.0, 1.0]), np.array([0.2, np.nan, 0.4]))


def test_no_map_changes_nothing_and_a_map_is_a_document() -> None:
    chances = np.array([0.0, 0.25, 1.0])
    np.testing.assert_array_equal(calibrated(None, chances), chances)
    same = Platt(slope=1.0, intercept=0.0)
    np.testing.assert_allclose(calibrated(same, chances), chances, atol=1e-6)
    steps = Isotonic(knots=(0.2, 0.8), values=(0.1, 0.9))
    assert Isotonic.model_validate_json(steps.model_dump_json()) == steps
    np.testing.assert_allclose(calibrated(steps, np.array([0.0, 0.5, 1.0])), [0.1, 0.5, 0.9])
